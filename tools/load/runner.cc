#include "tools/load/runner.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tools/load/answer_reader.h"

namespace podferry::load {
namespace {

using Clock = std::chrono::steady_clock;

absl::Duration OwnCpu() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return absl::DurationFromTimeval(usage.ru_utime) + absl::DurationFromTimeval(usage.ru_stime);
}

// A connected socket, or -1 with errno.
int Connect(const ListenAddress& server) {
  union {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
    sockaddr_un local;
  } name = {};
  socklen_t size = 0;
  if (server.kind == ListenAddress::Kind::kUnix) {
    name.local.sun_family = AF_UNIX;
    std::strncpy(name.local.sun_path, server.path.c_str(), sizeof(name.local.sun_path) - 1);
    size = sizeof(name.local);
  } else if (inet_pton(AF_INET, server.host.c_str(), &name.v4.sin_addr) == 1) {
    name.v4.sin_family = AF_INET;
    name.v4.sin_port = htons(server.port);
    size = sizeof(name.v4);
  } else {
    inet_pton(AF_INET6, server.host.c_str(), &name.v6.sin6_addr);
    name.v6.sin6_family = AF_INET6;
    name.v6.sin6_port = htons(server.port);
    size = sizeof(name.v6);
  }
  const int fd = socket(name.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  if (connect(fd, &name.any, size) != 0) {
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
  }
  return fd;
}

struct Connection {
  explicit Connection(const RequestTemplate& prototype) : request(prototype) {}

  int fd = -1;
  RequestTemplate request;
  AnswerReader reader;
  absl::string_view unsent;
  Clock::time_point begun;
  bool busy = false;
};

class Runner {
 public:
  Runner(const RunOptions& options, const RequestTemplate& request)
      : options_(options), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    connections_.assign(std::min(options.clients, options.requests), Connection(request));
    outcome_.latencies_us.reserve(options.requests);
  }
  ~Runner() {
    for (Connection& connection : connections_) Close(connection);
    close(epoll_);
  }

  absl::StatusOr<Outcome> Run() {
    for (Connection& connection : connections_) {
      if (!Open(connection)) {
        return absl::UnavailableError(absl::StrCat("cannot connect to ", options_.server.ToString(),
                                                   ": ", std::strerror(errno)));
      }
    }
    const Clock::time_point begun = Clock::now();
    const absl::Duration cpu = OwnCpu();
    for (Connection& connection : connections_) Next(connection);
    while (answered() + outcome_.broken < options_.requests && Poll()) {
    }
    outcome_.broken = options_.requests - answered();
    outcome_.elapsed = absl::FromChrono(Clock::now() - begun);
    outcome_.cpu = OwnCpu() - cpu;
    return std::move(outcome_);
  }

 private:
  size_t answered() const { return outcome_.latencies_us.size(); }

  // False if nothing happens any more.
  bool Poll() {
    std::array<epoll_event, 64> events;
    const int count =
        epoll_wait(epoll_, events.data(), events.size(),
                   static_cast<int>(absl::ToInt64Milliseconds(options_.stall_timeout)));
    if (count < 0) return errno == EINTR;
    for (int i = 0; i < count; ++i) {
      auto& connection = *static_cast<Connection*>(events[i].data.ptr);
      if (events[i].events & EPOLLOUT) SendMore(connection);
      if (events[i].events & ~uint32_t{EPOLLOUT}) Receive(connection);
    }
    return count > 0;
  }

  bool Open(Connection& connection) {
    connection.fd = Connect(options_.server);
    if (connection.fd < 0) return false;
    epoll_event event = {.events = EPOLLIN, .data = {.ptr = &connection}};
    return epoll_ctl(epoll_, EPOLL_CTL_ADD, connection.fd, &event) == 0;
  }

  static void Close(Connection& connection) {
    if (connection.fd >= 0) close(std::exchange(connection.fd, -1));
  }

  void WaitFor(Connection& connection, uint32_t what) {
    epoll_event event = {.events = what, .data = {.ptr = &connection}};
    epoll_ctl(epoll_, EPOLL_CTL_MOD, connection.fd, &event);
  }

  void Next(Connection& connection) {
    connection.reader.Reset();
    connection.busy = issued_ < options_.requests;
    if (!connection.busy) return;
    const uint64_t offset = uint64_t{issued_++} * connection.request.pods();
    connection.unsent = connection.request.For(
        options_.run, options_.first_pod + static_cast<uint32_t>(offset % options_.pod_cycle));
    connection.begun = Clock::now();
    SendMore(connection);
  }

  void SendMore(Connection& connection) {
    if (connection.fd < 0 || connection.unsent.empty()) return;
    const ssize_t sent = send(connection.fd, connection.unsent.data(), connection.unsent.size(),
                              MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN) return;  // reading tells the rest
    connection.unsent.remove_prefix(std::max<ssize_t>(sent, 0));
    // Only now and then does a request not fit into the socket's buffer.
    if (!connection.unsent.empty()) {
      waiting_to_send_ = true;
      WaitFor(connection, EPOLLIN | EPOLLOUT);
    } else if (waiting_to_send_) {
      WaitFor(connection, EPOLLIN);
    }
  }

  void Receive(Connection& connection) {
    if (connection.fd < 0) return;
    const ssize_t got = recv(connection.fd, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return Replace(connection);
    switch (connection.reader.Feed(absl::string_view(buffer_.data(), got))) {
      case AnswerReader::State::kMore:
        return;
      case AnswerReader::State::kBad:
        return Replace(connection);
      case AnswerReader::State::kDone:
        return Answered(connection);
    }
  }

  void Answered(Connection& connection) {
    const auto took = Clock::now() - connection.begun;
    outcome_.latencies_us.push_back(
        static_cast<uint32_t>(std::chrono::duration_cast<std::chrono::microseconds>(took).count()));
    const int status = connection.reader.status();
    ++outcome_.codes[status];
    if (status != 200 && outcome_.first_error.empty()) {
      outcome_.first_error = absl::StrCat(status, " ", connection.reader.beginning());
    }
    connection.busy = false;
    if (!connection.reader.keep_alive()) return Replace(connection);
    Next(connection);
  }

  // The connection has ended: a request on it is lost, the next goes over a new one.
  void Replace(Connection& connection) {
    if (connection.busy) ++outcome_.broken;
    connection.busy = false;
    Close(connection);
    if (issued_ < options_.requests && Open(connection)) return Next(connection);
  }

  const RunOptions& options_;
  const int epoll_;
  std::vector<Connection> connections_;
  size_t issued_ = 0;
  bool waiting_to_send_ = false;
  Outcome outcome_;
  std::array<char, 64 << 10> buffer_;
};

}  // namespace

absl::StatusOr<Outcome> RunLoad(const RunOptions& options, const RequestTemplate& request) {
  return Runner(options, request).Run();
}

}  // namespace podferry::load
