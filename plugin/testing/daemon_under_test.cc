#include "plugin/testing/daemon_under_test.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "glog/logging.h"

namespace podferry {

DaemonUnderTest::DaemonUnderTest() { CHECK(Restart().ok()); }

DaemonOptions DaemonUnderTest::DefaultOptions() {
  DaemonOptions options;
  options.subject = "p";
  return options;
}

absl::Status DaemonUnderTest::Restart(DaemonOptions options) {
  daemon = nullptr;
  bus = nullptr;
  store = std::make_unique<MemoryStore>(loop, disk);
  bus = hub.Connect("plugin");
  daemon = std::make_unique<Daemon>(loop, clock, *store, workers, *bus, *bus, std::move(options));
  absl::Status result = absl::UnknownError("not started");
  daemon->Start([&](absl::Status status) { result = std::move(status); });
  loop.RunUntilIdle();
  if (!result.ok()) return result;
  router = std::make_unique<HttpRouter>();
  daemon->RegisterApi(*router, /*local=*/true);
  daemon->RegisterHealth(*router);
  remote_router = std::make_unique<HttpRouter>();
  daemon->RegisterApi(*remote_router, /*local=*/false);
  return result;
}

void DaemonUnderTest::StartSubmitter() {
  submitter = nullptr;
  submitter = std::make_unique<ModelSubmitter>(loop, clock, hub.Connect("S1"), submitter_disk,
                                               backend, counter, "pool-a");
  loop.RunUntilIdle();
}

std::unique_ptr<ResponseRecorder> DaemonUnderTest::Ask(const std::string& method,
                                                       const std::string& path,
                                                       const std::string& body,
                                                       const std::string& query) {
  auto recorder = std::make_unique<ResponseRecorder>();
  HttpRequest request;
  request.method = method;
  request.path = path;
  request.query = query;
  request.body = body;
  router->Dispatch(std::move(request), recorder->writer());
  loop.RunUntilIdle();
  return recorder;
}

std::string DaemonUnderTest::Get(const std::string& path, const std::string& body) {
  const auto answer = Ask("GET", path, body);
  CHECK(answer->complete()) << path;
  CHECK_EQ(answer->status(), 200) << path << ": " << answer->body();
  return answer->body();
}

std::string CreateBody(const std::string& uid, const std::string& name, const std::string& pool) {
  return absl::StrCat(
      R"({"pod":{"metadata":{"name":")", name, R"(","namespace":"default","uid":")", uid,
      R"("},"spec":{"containers":[{"name":"main","image":"busybox","command":["true"]}],)",
      R"("restartPolicy":"Never","tolerations":[{"key":"pool.vk.io","operator":"Equal","value":")",
      pool, R"(","effect":"NoSchedule"}]}},"container":[],"jobConfig":{}})");
}

std::string StatusBody(const std::string& uid, bool with_job_id) {
  return absl::StrCat(R"([{"metadata":{"name":"pod","namespace":"default","uid":")", uid, "\"",
                      with_job_id ? R"(,"annotations":{"JobID":"x"})" : "",
                      R"(},"spec":{"containers":[{"name":"main","image":"busybox"}]}}])");
}

}  // namespace podferry
