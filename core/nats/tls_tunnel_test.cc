// What the tunnel does with peers that are no decent NATS server; nats_bus_test has the rest.

#include "core/nats/tls_tunnel.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <utility>

#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::HasSubstr;

// Greets its one client with a text and waits until it goes away.
class OneShotServer {
 public:
  explicit OneShotServer(std::string greeting) : greeting_(std::move(greeting)) {
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(fd_, generic, size) + listen(fd_, 1) + getsockname(fd_, generic, &size), 0);
    address_.host = "127.0.0.1";
    address_.port = ntohs(address.sin_port);
    thread_ = std::thread([this] {
      const int client = accept(fd_, nullptr, nullptr);
      EXPECT_EQ(send(client, greeting_.data(), greeting_.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(greeting_.size()));
      char buffer[4096];
      while (recv(client, buffer, sizeof(buffer), 0) > 0) {
      }
      close(client);
    });
  }
  ~OneShotServer() {
    shutdown(fd_, SHUT_RDWR);
    thread_.join();
    close(fd_);
  }
  const NatsAddress& address() const { return address_; }

 private:
  std::string greeting_;
  NatsAddress address_;
  int fd_ = -1;
  std::thread thread_;
};

NatsOptions Impatient() {
  NatsOptions options;
  options.connect_timeout = absl::Milliseconds(300);
  return options;
}

TEST(TlsTunnelTest, SaysWhatIsWrongWithThePeer) {
  struct Case {
    const char* greeting;
    absl::StatusCode code;
    const char* message;
  };
  const Case cases[] = {
      {"HTTP/1.1 400 Bad Request\r\n", absl::StatusCode::kUnavailable, "no NATS server"},
      {"INFO {\"max_payload\":1}\r\n", absl::StatusCode::kFailedPrecondition, "does not offer it"},
      // Injected before the handshake, to be read as the server's after it.
      {"INFO {\"tls_required\":true}\r\nMSG x 1 0\r\n\r\n", absl::StatusCode::kUnavailable,
       "goes on after its line"},
      {"INFO {\"tls_required\":true", absl::StatusCode::kUnavailable, "no answer in time"},
      // Hangs in the handshake.
      {"INFO {\"tls_required\":true}\r\n", absl::StatusCode::kUnavailable, "no answer in time"},
  };
  for (const Case& c : cases) {
    const OneShotServer server(c.greeting);
    EXPECT_THAT(TlsTunnel::Open(Impatient(), server.address()).status(),
                StatusIs(c.code, HasSubstr(c.message)))
        << c.greeting;
  }
}

TEST(TlsTunnelTest, NobodyThereIsUnavailable) {
  NatsAddress address;
  {
    const OneShotServer server("");
    address = server.address();
    EXPECT_THAT(TlsTunnel::IsAskedFor(Impatient(), address),
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr("no answer in time")));
  }
  EXPECT_THAT(TlsTunnel::IsAskedFor(Impatient(), address),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("connect to 127.0.0.1")));
}

TEST(TlsTunnelTest, KnowsAServerThatAsksForTls) {
  const OneShotServer tls("INFO {\"tls_required\":true}\r\n");
  EXPECT_THAT(TlsTunnel::IsAskedFor(Impatient(), tls.address()), IsOkAndHolds(true));
  const OneShotServer either("INFO {\"tls_available\":true}\r\n");
  EXPECT_THAT(TlsTunnel::IsAskedFor(Impatient(), either.address()), IsOkAndHolds(false));
}

}  // namespace
}  // namespace podferry
