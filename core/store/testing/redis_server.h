// A redis-server of a test's own, on a unix socket in a folder of its own. It syncs every write,
// and can be killed and started again on the same data.

#ifndef PODFERRY_CORE_STORE_TESTING_REDIS_SERVER_H_
#define PODFERRY_CORE_STORE_TESTING_REDIS_SERVER_H_

#include <string>
#include <vector>

#include "core/os/process.h"

namespace podferry {

class RedisServer {
 public:
  // `arguments` are added to its command line.
  explicit RedisServer(std::vector<std::string> arguments = {});
  ~RedisServer();

  void Start();  // Returns when it answers.
  void Kill();   // SIGKILL, and waits.

  std::string url() const { return "redis+unix:" + socket(); }

 private:
  std::string socket() const { return folder_ + "/s"; }

  const std::vector<std::string> arguments_;
  std::string folder_;
  ProcessIdentity process_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_STORE_TESTING_REDIS_SERVER_H_
