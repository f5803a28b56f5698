#include "core/nats/testing/nats_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/os/testing/free_port.h"

namespace podferry {
namespace {

constexpr int kPortAttempts = 5;  // another test may take a port between our look and its use
constexpr auto kStartTime = std::chrono::seconds(20);
constexpr auto kPoll = std::chrono::milliseconds(5);

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string MakeFolder() {
  const char* root = std::getenv("TEST_TMPDIR");
  std::string name = absl::StrCat(root != nullptr ? root : "/tmp", "/nats-XXXXXX");
  return mkdtemp(name.data()) != nullptr ? name : "";
}

// Debian puts the server where only root's PATH looks.
std::string FindServer() {
  for (const char* path :
       {"/usr/sbin/nats-server", "/usr/bin/nats-server", "/usr/local/bin/nats-server"}) {
    if (access(path, X_OK) == 0) return path;
  }
  return "nats-server";
}

// Whether the server greets who connects.
bool Greets(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  timeval timeout{.tv_sec = 1, .tv_usec = 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
  char greeting[4] = {};
  const bool greets =
      connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
      recv(fd, greeting, sizeof(greeting), MSG_WAITALL) == sizeof(greeting) &&
      absl::string_view(greeting, sizeof(greeting)) == "INFO";
  close(fd);
  return greets;
}

}  // namespace

NatsServer::NatsServer(std::string folder, std::string config)
    : folder_(std::move(folder)), config_(std::move(config)) {}

absl::StatusOr<std::unique_ptr<NatsServer>> NatsServer::Start(absl::string_view config) {
  std::string folder = MakeFolder();
  if (folder.empty()) return absl::UnavailableError("cannot make a folder for nats-server");
  std::unique_ptr<NatsServer> server(new NatsServer(std::move(folder), std::string(config)));
  absl::Status status;
  for (int i = 0; i < kPortAttempts; ++i) {
    server->port_ = PickFreePort();
    status = server->Launch();
    if (status.ok()) return server;
  }
  return status;
}

NatsServer::~NatsServer() {
  Kill();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

absl::Status NatsServer::Launch() {
  std::ofstream(folder_ + "/nats.conf") << "host: 127.0.0.1\nport: " << port_ << "\n"
                                        << config_ << "\n";
  if (Exec() && WaitUntilItAccepts()) return absl::OkStatus();
  Kill();
  return absl::UnavailableError(absl::StrCat("nats-server does not come up: ", log()));
}

bool NatsServer::Exec() {
  const std::string program = FindServer();
  const std::string config = folder_ + "/nats.conf";
  const std::string output = folder_ + "/log";
  const char* argv[] = {program.c_str(), "-c", config.c_str(), nullptr};
  pid_ = fork();
  if (pid_ == 0) {
    // Only what is safe after a fork of a process with threads.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int log = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    execvp(argv[0], const_cast<char* const*>(argv));
    _exit(127);
  }
  if (pid_ < 0) pid_ = 0;
  return pid_ != 0;
}

bool NatsServer::WaitUntilItAccepts() {
  const auto deadline = std::chrono::steady_clock::now() + kStartTime;
  while (std::chrono::steady_clock::now() < deadline) {
    if (waitpid(pid_, nullptr, WNOHANG) == pid_) {
      pid_ = 0;
      return false;
    }
    if (Greets(port_)) return true;
    std::this_thread::sleep_for(kPoll);
  }
  return false;
}

void NatsServer::Kill() {
  if (pid_ == 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

absl::Status NatsServer::Restart() {
  Kill();
  return Launch();
}

absl::Status NatsServer::Restart(absl::string_view config) {
  config_ = std::string(config);
  return Restart();
}

void NatsServer::Pause() {
  if (pid_ == 0) return;
  kill(pid_, SIGSTOP);
  // Until it has really stopped: the signal takes its time to reach all threads.
  waitpid(pid_, nullptr, WUNTRACED);
}

void NatsServer::Resume() {
  if (pid_ != 0) kill(pid_, SIGCONT);
}

std::string NatsServer::address() const { return absl::StrCat("127.0.0.1:", port_); }
std::string NatsServer::url() const { return absl::StrCat("nats://", address()); }
std::string NatsServer::log() const { return ReadAll(folder_ + "/log"); }

}  // namespace podferry
