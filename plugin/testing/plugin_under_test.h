// The plugin's inner parts on fakes, without HTTP and without bash: what a test of dispatch needs.
// Destroying it is a crash: whatever the store holds on to is lost, the disk stays.

#ifndef PODFERRY_PLUGIN_TESTING_PLUGIN_UNDER_TEST_H_
#define PODFERRY_PLUGIN_TESTING_PLUGIN_UNDER_TEST_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "core/base/testing/fake_clock.h"
#include "core/nats/testing/in_memory_bus.h"
#include "core/os/testing/fake_event_loop.h"
#include "core/os/testing/inline_worker_pool.h"
#include "core/store/testing/memory_store.h"
#include "plugin/bundle_maker.h"
#include "plugin/bundle_server.h"
#include "plugin/dispatcher.h"
#include "plugin/job_table.h"
#include "plugin/log_relay.h"
#include "plugin/pool_directory.h"
#include "plugin/pool_feed.h"
#include "plugin/registry_proxy.h"

namespace podferry {

// A script that says what it is made for. A pod whose node selector has "refuse" is refused.
Translation TranslateForTest(const RetrievedPod& pod, const JobKey& key, absl::string_view pool,
                             const BuildConfig& config, const TranslateOptions& options);

struct PluginUnderTest {
  PluginUnderTest(FakeEventLoop& loop, FakeClock& clock, std::unique_ptr<InMemoryBus> bus,
                  std::shared_ptr<MemoryStore::Disk> disk, uint64_t epoch,
                  absl::Duration grace = absl::Minutes(15), DispatcherOptions options = {});

  // Reads the disk and goes to work.
  void Start();

  // As JobService does it, with a body that TranslateForTest takes.
  void Create(const std::string& uid, const std::string& pool = "pool",
              JobSource source = JobSource::kInterLink, bool refused = false);
  void Delete(const std::string& uid);
  // Every job is polled.
  void VouchForAll();

  JobPhase PhaseOf(const std::string& uid);
  const JobRecord* Record(const std::string& uid);

  FakeEventLoop& loop;
  FakeClock& clock;
  InlineWorkerPool workers;
  std::unique_ptr<InMemoryBus> bus;
  MemoryStore store;
  DispatchObserver observer;
  const PluginStamp stamp;
  const wire::Subjects subjects{"p"};
  JobTable table;
  PoolDirectory directory;
  RegistryProxy proxy;
  BundleMaker bundles;
  Dispatcher dispatcher;
  PoolFeed feed;
  BundleServer bundle_server;
  LogRelay logs;
};

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_TESTING_PLUGIN_UNDER_TEST_H_
