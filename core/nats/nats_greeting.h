// A NATS server's first line. It comes before TLS begins, and says whether TLS is wanted. Internal
// to core/nats: includes Asio.

#ifndef PODFERRY_CORE_NATS_NATS_GREETING_H_
#define PODFERRY_CORE_NATS_NATS_GREETING_H_

// Boost 1.74's awaitable.hpp forgets <utility>.
#include <utility>
//
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/nats/nats_options.h"

namespace podferry {

struct NatsGreeting {
  boost::asio::ip::tcp::socket socket;
  std::string info;  // the line with its end

  bool offers_tls() const;
  bool requires_tls() const;
  // The line without a word of TLS.
  std::string without_tls() const;
};

// Connects and reads the line; runs `io` meanwhile. Unavailable when the server is not reached, is
// none of NATS, or does not answer in time; name resolution takes what it takes.
absl::StatusOr<NatsGreeting> GreetNatsServer(boost::asio::io_context& io,
                                             const NatsAddress& address, absl::Duration timeout);

// Runs `io` until `work` has ended; when `timeout` is over first, calls `give_up`, which must make
// it end, and returns Unavailable with `doing`.
absl::Status RunWithin(boost::asio::io_context& io, absl::Duration timeout, absl::string_view doing,
                       boost::asio::awaitable<absl::Status> work,
                       const std::function<void()>& give_up);

}  // namespace podferry

#endif  // PODFERRY_CORE_NATS_NATS_GREETING_H_
