// The whole plugin on fakes, asked through its routes without sockets.

#ifndef PODFERRY_PLUGIN_TESTING_DAEMON_UNDER_TEST_H_
#define PODFERRY_PLUGIN_TESTING_DAEMON_UNDER_TEST_H_

#include <memory>
#include <string>
#include <vector>

#include "core/base/testing/fake_clock.h"
#include "core/http/http_message.h"
#include "core/http/router.h"
#include "core/http/testing/response_recorder.h"
#include "core/nats/testing/in_memory_bus.h"
#include "core/os/testing/fake_event_loop.h"
#include "core/os/testing/inline_worker_pool.h"
#include "core/store/testing/memory_store.h"
#include "plugin/daemon.h"
#include "plugin/testing/model_submitter.h"

namespace podferry {

class DaemonUnderTest {
 public:
  DaemonUnderTest();

  // A crash, and the next process on the same disk.
  absl::Status Restart(DaemonOptions options = DefaultOptions());
  static DaemonOptions DefaultOptions();

  // A submitter for pool-a, as the captured requests want it.
  void StartSubmitter();

  // Asks and lets the loop run; the answer may still be a stream in progress.
  std::unique_ptr<ResponseRecorder> Ask(const std::string& method, const std::string& path,
                                        const std::string& body = "",
                                        const std::string& query = "");
  // The body of an answer that must be complete and 200.
  std::string Get(const std::string& path, const std::string& body = "");

  FakeClock clock;
  FakeEventLoop loop{clock};
  InMemoryHub hub{loop};
  InlineWorkerPool workers{loop};
  std::shared_ptr<MemoryStore::Disk> disk = std::make_shared<MemoryStore::Disk>();
  std::unique_ptr<MemoryStore> store;
  std::unique_ptr<InMemoryBus> bus;
  std::unique_ptr<Daemon> daemon;
  std::unique_ptr<HttpRouter> router;         // of a local listener
  std::unique_ptr<HttpRouter> remote_router;  // of one that others reach

  ModelSubmitter::Disk submitter_disk{.id = "S1"};
  ModelSubmitter::Backend backend;
  BodyCounter counter;
  std::unique_ptr<ModelSubmitter> submitter;
};

// A request as interLink makes it, for a pod of one container.
std::string CreateBody(const std::string& uid, const std::string& name = "pod",
                       const std::string& pool = "pool-a");
std::string StatusBody(const std::string& uid, bool with_job_id = false);

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_TESTING_DAEMON_UNDER_TEST_H_
