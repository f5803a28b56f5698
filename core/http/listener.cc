#include "core/http/listener.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <cerrno>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"

namespace podferry::http_internal {
namespace {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

absl::Status ListenError(const ListenAddress& address, absl::string_view doing, ErrorCode error) {
  const std::string message =
      absl::StrCat("cannot ", doing, " ", address.ToString(), ": ", error.message());
  switch (error.value()) {
    case EADDRINUSE:
    case EEXIST:
      return absl::AlreadyExistsError(message);
    case EACCES:
    case EPERM:
      return absl::PermissionDeniedError(message);
    default:
      return absl::UnavailableError(message);
  }
}

absl::Status ListenErrno(const ListenAddress& address, absl::string_view doing) {
  return ListenError(address, doing, ErrorCode(errno, boost::system::system_category()));
}

// Whether somebody accepts connections on this socket file.
bool SomebodyListens(asio::io_context& context, const std::string& path) {
  asio::local::stream_protocol::socket probe(context, asio::local::stream_protocol());
  ErrorCode error;
  probe.non_blocking(true, error);  // a listener too busy to accept is one, too
  probe.connect(asio::local::stream_protocol::endpoint(path), error);
  return error != asio::error::connection_refused && error.value() != ENOENT;
}

absl::Status RemoveStaleSocket(asio::io_context& context, const ListenAddress& address) {
  struct stat info;
  if (lstat(address.path.c_str(), &info) != 0) {
    return errno == ENOENT ? absl::OkStatus() : ListenErrno(address, "look at");
  }
  if (!S_ISSOCK(info.st_mode)) {
    return absl::AlreadyExistsError(
        absl::StrCat("cannot listen on ", address.ToString(), ": the file is no socket"));
  }
  if (SomebodyListens(context, address.path)) {
    return absl::AlreadyExistsError(
        absl::StrCat("cannot listen on ", address.ToString(), ": somebody else does"));
  }
  if (unlink(address.path.c_str()) != 0 && errno != ENOENT) {
    return ListenErrno(address, "remove the stale socket");
  }
  return absl::OkStatus();
}

// Locks the socket's folder while two daemons might both find the same stale socket. Where the file
// system knows no locks, we do without.
int LockFolder(const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) (void)flock(fd, LOCK_EX);
  return fd;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Listener>> Listener::Open(asio::io_context& context,
                                                         const ListenAddress& address,
                                                         mode_t unix_mode) {
  std::unique_ptr<Listener> listener(new Listener(context, address));
  PODFERRY_RETURN_IF_ERROR(address.kind == ListenAddress::Kind::kUnix
                               ? listener->OpenUnix(unix_mode)
                               : listener->OpenTcp());
  return listener;
}

absl::Status Listener::OpenTcp() {
  ErrorCode error;
  const asio::ip::address host = asio::ip::make_address(address_.host, error);
  if (error) return absl::InvalidArgumentError(absl::StrCat("no IP address: ", address_.host));
  const asio::ip::tcp::endpoint endpoint(host, address_.port);

  asio::ip::tcp::acceptor tcp(acceptor_.get_executor());
  tcp.open(endpoint.protocol(), error);
  if (error) return ListenError(address_, "open a socket for", error);
  // Without it a restarted daemon would have to wait until old connections are forgotten.
  tcp.set_option(asio::socket_base::reuse_address(true), error);
  // "::" means every address, IPv4's too.
  if (host.is_v6()) tcp.set_option(asio::ip::v6_only(false), error);
  tcp.bind(endpoint, error);
  if (!error) tcp.listen(asio::socket_base::max_listen_connections, error);
  if (error) return ListenError(address_, "listen on", error);
  address_.port = tcp.local_endpoint(error).port();

  const int family = endpoint.protocol().family();
  acceptor_.assign({family, IPPROTO_TCP}, tcp.release(), error);
  return error ? ListenError(address_, "listen on", error) : absl::OkStatus();
}

absl::Status Listener::OpenUnix(mode_t mode) {
  // Asio would throw for a path that is too long.
  PODFERRY_RETURN_IF_ERROR(ParseListenAddress(address_.ToString()).status());
  const int folder = LockFolder(address_.path);
  absl::Cleanup unlock = [folder] {
    if (folder >= 0) close(folder);
  };
  PODFERRY_RETURN_IF_ERROR(RemoveStaleSocket(
      static_cast<asio::io_context&>(acceptor_.get_executor().context()), address_));
  ErrorCode error;
  acceptor_.open({AF_UNIX, 0}, error);
  if (error) return ListenError(address_, "open a socket for", error);
  // The file is made with the descriptor's mode less the umask; what the umask took comes after.
  if (fchmod(acceptor_.native_handle(), mode) != 0) return ListenErrno(address_, "set the mode of");
  acceptor_.bind(asio::local::stream_protocol::endpoint(address_.path), error);
  if (error) return ListenError(address_, "listen on", error);
  struct stat info;
  if (lstat(address_.path.c_str(), &info) != 0) return ListenErrno(address_, "look at");
  device_ = info.st_dev;
  inode_ = info.st_ino;
  if (chmod(address_.path.c_str(), mode) != 0) return ListenErrno(address_, "set the mode of");
  acceptor_.listen(asio::socket_base::max_listen_connections, error);
  return error ? ListenError(address_, "listen on", error) : absl::OkStatus();
}

void Listener::Close() {
  if (!acceptor_.is_open()) return;
  ErrorCode ignored;
  acceptor_.close(ignored);
  struct stat info;
  if (inode_ != 0 && lstat(address_.path.c_str(), &info) == 0 && info.st_ino == inode_ &&
      info.st_dev == device_) {
    unlink(address_.path.c_str());
  }
}

}  // namespace podferry::http_internal
