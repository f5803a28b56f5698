// A real nats-server of the test's own, on a free port of 127.0.0.1. The test's thread only. Ended
// by its process id when destroyed, and by the kernel should the test die first.

#ifndef PODFERRY_CORE_NATS_TESTING_NATS_SERVER_H_
#define PODFERRY_CORE_NATS_TESTING_NATS_SERVER_H_

#include <sys/types.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace podferry {

class NatsServer {
 public:
  // Starts it and waits until it accepts connections. `config` is in nats-server's format and may
  // set all but host and port: authorization, tls, max_payload... Unavailable, with the server's
  // own words, when it does not come up.
  static absl::StatusOr<std::unique_ptr<NatsServer>> Start(absl::string_view config = "");
  ~NatsServer();
  NatsServer(const NatsServer&) = delete;
  NatsServer& operator=(const NatsServer&) = delete;

  // SIGKILL, and waits for its end; nothing happens when it does not run.
  void Kill();
  // Kills it if it runs and starts it again on the same port, with another config if one is given.
  absl::Status Restart();
  absl::Status Restart(absl::string_view config);
  // SIGSTOP and SIGCONT: a server that hangs.
  void Pause();
  void Resume();

  int port() const { return port_; }
  pid_t pid() const { return pid_; }              // 0: it does not run
  std::string address() const;                    // "127.0.0.1:PORT"
  std::string url() const;                        // "nats://127.0.0.1:PORT"
  std::string folder() const { return folder_; }  // its own; certificates may be put there
  std::string log() const;                        // what it has logged so far

 private:
  NatsServer(std::string folder, std::string config);

  absl::Status Launch();
  bool Exec();
  bool WaitUntilItAccepts();

  const std::string folder_;
  std::string config_;
  int port_ = 0;
  pid_t pid_ = 0;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_NATS_TESTING_NATS_SERVER_H_
