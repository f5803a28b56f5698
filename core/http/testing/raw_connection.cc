#include "core/http/testing/raw_connection.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <glog/logging.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/os/testing/run_until.h"

namespace podferry {
namespace {

int Connect(const ListenAddress& address) {
  if (address.kind == ListenAddress::Kind::kUnix) {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un name = {};
    name.sun_family = AF_UNIX;
    std::strncpy(name.sun_path, address.path.c_str(), sizeof(name.sun_path) - 1);
    PCHECK(connect(fd, reinterpret_cast<sockaddr*>(&name), sizeof(name)) == 0);
    return fd;
  }
  if (address.host.find(':') != std::string::npos) {
    const int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in6 name = {};
    name.sin6_family = AF_INET6;
    name.sin6_port = htons(address.port);
    CHECK_EQ(inet_pton(AF_INET6, address.host.c_str(), &name.sin6_addr), 1);
    PCHECK(connect(fd, reinterpret_cast<sockaddr*>(&name), sizeof(name)) == 0);
    return fd;
  }
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in name = {};
  name.sin_family = AF_INET;
  name.sin_port = htons(address.port);
  CHECK_EQ(inet_pton(AF_INET, address.host.c_str(), &name.sin_addr), 1);
  PCHECK(connect(fd, reinterpret_cast<sockaddr*>(&name), sizeof(name)) == 0);
  return fd;
}

size_t ContentLength(absl::string_view head) {
  const std::string lower = absl::AsciiStrToLower(head);
  const size_t at = lower.find("content-length: ");
  if (at == std::string::npos) return 0;
  const absl::string_view rest = absl::string_view(lower).substr(at + strlen("content-length: "));
  size_t length = 0;
  CHECK(absl::SimpleAtoi(rest.substr(0, rest.find('\r')), &length));
  return length;
}

}  // namespace

RawConnection::RawConnection(AsioEventLoop& loop, const ListenAddress& address)
    : RawConnection(loop, Connect(address)) {}

RawConnection::RawConnection(AsioEventLoop& loop, int fd) : loop_(loop), fd_(fd) {
  PCHECK(fcntl(fd_, F_SETFL, O_NONBLOCK) == 0);
}

bool RawConnection::Send(absl::string_view bytes) {
  return RunUntil(loop_,
                  [&] {
                    const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
                    if (sent < 0) return errno != EAGAIN;
                    bytes.remove_prefix(sent);
                    return bytes.empty();
                  }) &&
         bytes.empty();
}

size_t RawConnection::SendSome(absl::string_view bytes) {
  return std::max<ssize_t>(0, send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
}

bool RawConnection::HasInput() const {
  char byte;
  return recv(fd_, &byte, 1, MSG_PEEK) >= 0 || errno != EAGAIN;
}

bool RawConnection::ReadMore() {
  char buffer[16384];
  ssize_t received = 0;
  const bool happened = RunUntil(loop_, [&] {
    received = recv(fd_, buffer, sizeof(buffer), 0);
    return received >= 0 || errno != EAGAIN;
  });
  CHECK(happened) << "nothing came; so far: " << input_.substr(0, 1000);
  if (received <= 0) return false;
  input_.append(buffer, received);
  return true;
}

std::string RawConnection::ReadUntil(absl::string_view end) {
  size_t at;
  while ((at = input_.find(end.data(), 0, end.size())) == std::string::npos) {
    if (!ReadMore()) return std::exchange(input_, "");
  }
  return ReadBytes(at + end.size());
}

std::string RawConnection::ReadBytes(size_t count) {
  while (input_.size() < count && ReadMore()) {
  }
  const std::string bytes = input_.substr(0, count);
  input_.erase(0, count);
  return bytes;
}

std::string RawConnection::ReadToEnd() {
  while (ReadMore()) {
  }
  return std::exchange(input_, "");
}

std::string RawConnection::ReadResponse() {
  std::string response = ReadUntil("\r\n\r\n");
  response += ReadBytes(ContentLength(response));
  return response;
}

void RawConnection::CloseSendingSide() { shutdown(fd_, SHUT_WR); }

void RawConnection::Close() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

void RawConnection::Reset() {
  const linger hard = {1, 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
  Close();
}

RawServer::RawServer(AsioEventLoop& loop)
    : loop_(loop), fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in name = {};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  PCHECK(bind(fd_, reinterpret_cast<sockaddr*>(&name), sizeof(name)) == 0);
  PCHECK(listen(fd_, 16) == 0);
}

RawServer::~RawServer() { close(fd_); }

std::string RawServer::url() const {
  sockaddr_in name = {};
  socklen_t size = sizeof(name);
  PCHECK(getsockname(fd_, reinterpret_cast<sockaddr*>(&name), &size) == 0);
  return absl::StrCat("http://127.0.0.1:", ntohs(name.sin_port));
}

bool RawServer::HasConnection() const {
  pollfd poll_fd = {fd_, POLLIN, 0};
  return poll(&poll_fd, 1, 0) == 1;
}

RawConnection RawServer::Accept() {
  CHECK(RunUntil(loop_, [&] { return HasConnection(); })) << "nobody connected";
  return RawConnection(loop_, accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC));
}

}  // namespace podferry
