#include "core/store/testing/redis_server.h"

#include <hiredis/hiredis.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "core/os/posix_file_system.h"
#include "gtest/gtest.h"

namespace podferry {

RedisServer::RedisServer(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {
  std::string folder = "/tmp/redis-XXXXXX";  // Short: a socket's path has at most 107 bytes.
  if (mkdtemp(folder.data()) == nullptr) abort();
  folder_ = folder;
  Start();
}

RedisServer::~RedisServer() {
  Kill();
  (void)PosixFileSystem().RemoveAll(folder_);
}

void RedisServer::Start() {
  DetachedCommand command;
  command.argv = {"redis-server",
                  "--port",
                  "0",
                  "--unixsocket",
                  socket(),
                  "--dir",
                  folder_,
                  "--appendonly",
                  "yes",
                  "--appendfsync",
                  "always",
                  "--save",
                  "",
                  "--daemonize",
                  "no"};
  command.argv.insert(command.argv.end(), arguments_.begin(), arguments_.end());
  command.stdout_path = command.stderr_path = folder_ + "/log";
  absl::StatusOr<ProcessIdentity> process = StartDetached(command);
  ASSERT_TRUE(process.ok()) << process.status() << " (tools/setup installs redis-server)";
  process_ = *process;
  for (int attempt = 0; attempt < 1000; ++attempt) {
    redisContext* context = redisConnectUnix(socket().c_str());
    const bool answers = context != nullptr && context->err == 0;
    void* reply = answers ? redisCommand(context, "PING") : nullptr;
    if (reply != nullptr) freeReplyObject(reply);
    if (context != nullptr) redisFree(context);
    if (reply != nullptr) return;
    usleep(10000);
  }
  FAIL() << "redis-server does not answer";
}

void RedisServer::Kill() {
  if (process_.pid <= 0) return;
  (void)Signal(process_, SIGKILL);
  waitpid(process_.pid, nullptr, 0);
  process_ = ProcessIdentity();
}

}  // namespace podferry
