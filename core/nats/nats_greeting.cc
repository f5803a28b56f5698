#include "core/nats/nats_greeting.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstddef>
#include <exception>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/base/status_macros.h"

namespace podferry {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorCode = boost::system::error_code;

constexpr size_t kMaxGreeting = 64 * 1024;

// As nats-server writes them, without blanks.
constexpr char kRequired[] = "\"tls_required\":true";
constexpr char kAvailable[] = "\"tls_available\":true";

asio::awaitable<absl::Status> Greet(const NatsAddress& address, tcp::resolver& resolver,
                                    NatsGreeting& greeting) {
  ErrorCode error;
  const auto token = [&error] { return asio::redirect_error(asio::use_awaitable, error); };
  const auto failed = [&](absl::string_view why) {
    return absl::UnavailableError(absl::StrCat("connect to ", address.ToString(), ": ", why));
  };
  const auto places =
      co_await resolver.async_resolve(address.host, absl::StrCat(address.port), token());
  if (!error) co_await asio::async_connect(greeting.socket, places, token());
  if (error) co_return failed(error.message());
  greeting.socket.set_option(tcp::no_delay(true), error);
  greeting.socket.set_option(asio::socket_base::keep_alive(true), error);
  const size_t size = co_await asio::async_read_until(
      greeting.socket, asio::dynamic_buffer(greeting.info, kMaxGreeting), "\r\n", token());
  if (error) co_return failed(absl::StrCat("no greeting: ", error.message()));
  if (!absl::StartsWith(greeting.info, "INFO ")) co_return failed("that is no NATS server");
  // Whoever can write into the plain part must not be taken for the server later.
  if (size != greeting.info.size()) co_return failed("the greeting goes on after its line");
  co_return absl::OkStatus();
}

}  // namespace

bool NatsGreeting::requires_tls() const { return absl::StrContains(info, kRequired); }

bool NatsGreeting::offers_tls() const {
  return requires_tls() || absl::StrContains(info, kAvailable);
}

std::string NatsGreeting::without_tls() const {
  return absl::StrReplaceAll(
      info, {{kRequired, "\"tls_required\":false"}, {kAvailable, "\"tls_available\":false"}});
}

absl::Status RunWithin(asio::io_context& io, absl::Duration timeout, absl::string_view doing,
                       asio::awaitable<absl::Status> work, const std::function<void()>& give_up) {
  absl::Status result = absl::UnavailableError(absl::StrCat(doing, ": no answer in time"));
  asio::steady_timer deadline(io, absl::ToChronoNanoseconds(timeout));
  deadline.async_wait([&](ErrorCode error) {
    if (!error) give_up();
  });
  asio::co_spawn(io, std::move(work), [&](std::exception_ptr failure, absl::Status status) {
    if (deadline.cancel() > 0 && failure == nullptr) result = std::move(status);
  });
  io.run();
  io.restart();
  return result;
}

absl::StatusOr<NatsGreeting> GreetNatsServer(asio::io_context& io, const NatsAddress& address,
                                             absl::Duration timeout) {
  NatsGreeting greeting{tcp::socket(io), ""};
  tcp::resolver resolver(io);
  PODFERRY_RETURN_IF_ERROR(RunWithin(io, timeout, absl::StrCat("connect to ", address.ToString()),
                                     Greet(address, resolver, greeting), [&] {
                                       ErrorCode ignored;
                                       resolver.cancel();
                                       greeting.socket.close(ignored);
                                     }));
  return greeting;
}

}  // namespace podferry
