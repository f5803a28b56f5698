// Opens the socket a server accepts on. Internal to core/http.

#ifndef PODFERRY_CORE_HTTP_LISTENER_H_
#define PODFERRY_CORE_HTTP_LISTENER_H_

#include <sys/types.h>

#include <utility>
//
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>

#include "absl/status/statusor.h"
#include "core/http/listen_address.h"

namespace podferry::http_internal {

class Listener {
 public:
  using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol,
                                                      boost::asio::io_context::executor_type>;

  // Binds and listens. A unix socket is replaced if nobody listens on it any more, and never has
  // more permissions than `unix_mode`, not even for a moment. Errors: AlreadyExists (in use, or a
  // file that is no socket), PermissionDenied, Unavailable (anything else the kernel says).
  static absl::StatusOr<std::unique_ptr<Listener>> Open(boost::asio::io_context& context,
                                                        const ListenAddress& address,
                                                        mode_t unix_mode);
  ~Listener() { Close(); }

  // Stops listening and removes the unix socket, unless somebody has replaced it meanwhile.
  void Close();

  Acceptor& acceptor() { return acceptor_; }
  const ListenAddress& address() const { return address_; }

 private:
  Listener(boost::asio::io_context& context, ListenAddress address)
      : acceptor_(context), address_(std::move(address)) {}
  absl::Status OpenTcp();
  absl::Status OpenUnix(mode_t mode);

  Acceptor acceptor_;
  ListenAddress address_;
  // The bound unix socket's file.
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace podferry::http_internal

#endif  // PODFERRY_CORE_HTTP_LISTENER_H_
