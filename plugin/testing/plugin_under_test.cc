#include "plugin/testing/plugin_under_test.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "glog/logging.h"
#include "plugin/store_keys.h"

namespace podferry {

Translation TranslateForTest(const RetrievedPod& pod, const JobKey& key, absl::string_view pool,
                             const BuildConfig&, const TranslateOptions& options) {
  Translation translation;
  if (pod.pod.spec.node_selector.count("refuse") > 0) {
    translation.issues.Add("spec.nodeSelector", "is refused");
    return translation;
  }
  JobBundle& bundle = translation.bundle;
  bundle.job.key = key;
  bundle.job.pool = std::string(pool);
  bundle.job.pod_namespace = pod.pod.metadata.namespace_name;
  bundle.job.pod_name = pod.pod.metadata.name;
  for (const Container& container : pod.pod.spec.containers) {
    bundle.job.containers.push_back({container.name, container.image, false, false});
  }
  const auto size = pod.pod.metadata.annotations.find("script-bytes");
  bundle.script = absl::StrCat("# ", key.ToString(), "\n");
  if (size != pod.pod.metadata.annotations.end()) {
    bundle.script.resize(static_cast<size_t>(std::stoul(size->second)), '#');
  }
  if (!options.registry_proxy_token.empty()) {
    absl::StrAppend(&bundle.script, "# token ", options.registry_proxy_token, "\n");
  }
  bundle.digest = Sha256Hex(bundle.script);
  return translation;
}

PluginUnderTest::PluginUnderTest(FakeEventLoop& loop, FakeClock& clock,
                                 std::unique_ptr<InMemoryBus> bus_in,
                                 std::shared_ptr<MemoryStore::Disk> disk, uint64_t epoch,
                                 absl::Duration grace, DispatcherOptions options)
    : loop(loop),
      clock(clock),
      workers(loop),
      bus(std::move(bus_in)),
      store(loop, std::move(disk)),
      stamp{"origin", epoch},
      table(loop, clock, store),
      directory(grace),
      proxy(nullptr, clock, {}),
      bundles(store, workers, proxy, &TranslateForTest),
      dispatcher(loop, clock, *bus, table, directory, bundles, subjects, stamp, observer, options),
      feed(loop, clock, *bus, store, subjects, stamp, directory, table, dispatcher),
      bundle_server(loop, clock, *bus, table, bundles, subjects, stamp),
      logs(loop, clock, *bus, table, subjects, stamp) {}

void PluginUnderTest::Start() {
  bool loaded = false;
  table.Load([&](absl::Status status) {
    CHECK(status.ok()) << status;
    feed.Load([&](absl::Status status) {
      CHECK(status.ok()) << status;
      loaded = true;
    });
  });
  while (!loaded) loop.RunUntilIdle();
  CHECK(bundle_server.Start().ok());
  dispatcher.Start();
  CHECK(feed.Start().ok());
}

void PluginUnderTest::Create(const std::string& uid, const std::string& pool, JobSource source,
                             bool refused) {
  JobRecord record;
  record.job.key = {stamp.origin, uid};
  record.job.pool = pool;
  record.job.pod_namespace = "default";
  record.job.pod_name = absl::StrCat("pod-", uid);
  record.job.containers = {{"main", "busybox", false, false}};
  record.source = source;
  record.created_at = clock.Now();
  record.status.key = record.job.key;
  record.status.phase = JobPhase::kQueued;
  const std::string body =
      absl::StrCat(R"({"pod":{"metadata":{"name":"pod-)", uid, R"(","namespace":"default","uid":")",
                   uid, R"("},"spec":{"containers":[{"name":"main","image":"busybox"}])",
                   refused ? R"(,"nodeSelector":{"refuse":"x"})" : "", R"(}},"container":[]})");
  table.Create(std::move(record), {Mutation::Put(BodyStoreKey(uid), body)},
               [this, uid](absl::Status status) {
                 if (status.ok()) dispatcher.Advance(*table.Find(uid));
               });
}

void PluginUnderTest::Delete(const std::string& uid) {
  table.Post(uid, [this](Job* job) {
    if (job != nullptr) dispatcher.Delete(*job, absl::Seconds(1), "deleted", [] {});
  });
}

void PluginUnderTest::VouchForAll() {
  std::vector<std::string> uids;
  table.ForEach([&](Job& job) { uids.push_back(job.uid()); });
  for (const std::string& uid : uids) {
    table.Post(uid, [this](Job* job) {
      if (job == nullptr) return;
      job->vouched = true;
      dispatcher.Advance(*job);
    });
  }
}

JobPhase PluginUnderTest::PhaseOf(const std::string& uid) {
  const Job* const job = table.Find(uid);
  return job == nullptr ? JobPhase::kUnspecified : job->record.status.phase;
}

const JobRecord* PluginUnderTest::Record(const std::string& uid) {
  const Job* const job = table.Find(uid);
  return job == nullptr ? nullptr : &job->record;
}

}  // namespace podferry
