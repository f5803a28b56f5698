#ifndef PODFERRY_E2E_HARNESS_SITE_H_
#define PODFERRY_E2E_HARNESS_SITE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "e2e/harness/http.h"
#include "e2e/harness/pod_request.h"
#include "e2e/harness/process.h"
#include "e2e/harness/runtime.h"
#include "e2e/harness/user.h"

namespace podferry::e2e {

// What the plugin says of one container.
struct ContainerAnswer {
  std::string name;
  std::string state;  // "waiting", "running", "terminated"
  std::string reason;
  std::string message;
  std::optional<int> exit_code;
};

struct PodAnswer {
  bool known = false;
  std::vector<ContainerAnswer> init_containers;
  std::vector<ContainerAnswer> containers;

  bool AllTerminated() const;
  // The pod's phase as interLink's virtual node makes it of this: "" while it leaves the phase as
  // it is.
  std::string Phase() const;
  const ContainerAnswer* Find(const std::string& container) const;
  std::string ToString() const;
};

// A whole podferry on loopback with nothing mocked: a nats-server, a plugin, and a submitter with
// the host backend, each a real process that can be killed and started again with its state. A test
// makes one, and all of it ends with it. The daemons' logs are printed when the test has failed.
// With PODFERRY_E2E_USER the submitter, and so every pod, is an ordinary user's (user.h).
class Site {
 public:
  explicit Site(const Runtime& runtime = HostRuntime());
  ~Site();

  // A failpoint (core/base/failpoint.h) for this start only; empty: none.
  void StartNats();
  void StartPlugin(const std::string& failpoint = "", const std::vector<std::string>& flags = {});
  void StartSubmitter(const std::string& failpoint = "",
                      const std::vector<std::string>& flags = {});
  // All three; returns when the plugin has heard of the pool.
  void StartAll();
  bool WaitForPool();

  Process* nats() { return nats_.get(); }
  Process* plugin() { return plugin_.get(); }
  Process* submitter() { return submitter_.get(); }

  HttpClient http() const { return HttpClient("http://127.0.0.1:" + std::to_string(plugin_port_)); }
  // Sends the create until it is answered, as an interLink that is started again would; the code.
  int Create(const PodRequest& pod);
  PodAnswer Status(const PodRequest& pod) const;
  std::string Log(const PodRequest& pod, const std::string& container = "main") const;
  int Delete(const PodRequest& pod);
  bool WaitForEnd(const PodRequest& pod, PodAnswer* answer,
                  absl::Duration deadline = absl::Seconds(60));

  // What pods have left behind: processes that name this site's folder (not its daemons), and
  // mounts below it; or those of the folder `below`. A line for each; "" is clean.
  std::string Leftovers(std::string below = "") const;

  // A folder of the test's own, seen at the same path by containers of the host runtime.
  const std::string& folder() const { return folder_; }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  std::string nats_url() const { return "nats://127.0.0.1:" + std::to_string(nats_port_); }

 private:
  void GiveTo(const std::string& path) const;
  void WriteBuildConfig(const std::string& path) const;

  const Runtime runtime_;
  const std::optional<User> user_;
  std::string folder_;
  int nats_port_;
  int plugin_port_;
  std::unique_ptr<Process> nats_;
  std::unique_ptr<Process> plugin_;
  std::unique_ptr<Process> submitter_;
};

// A port that was free a moment ago.
int FreePort();
// The whole file; empty when there is none.
std::string ReadFile(const std::string& path);
// A program of this build, from the test's runfiles: "plugin/plugin".
std::string Program(const std::string& path);

}  // namespace podferry::e2e

#endif  // PODFERRY_E2E_HARNESS_SITE_H_
