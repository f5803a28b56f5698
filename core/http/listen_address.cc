#include "core/http/listen_address.h"

#include <arpa/inet.h>
#include <sys/un.h>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace podferry {
namespace {

// One byte of the kernel's field is the terminating zero.
constexpr size_t kMaxSocketPath = sizeof(sockaddr_un::sun_path) - 1;

absl::Status Invalid(absl::string_view text, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("listen address \"", text, "\": ", why,
                                                 " (want 127.0.0.1:4000, [::1]:0 or unix:/path)"));
}

bool IsIpv4(const std::string& host) {
  in_addr address;
  return inet_pton(AF_INET, host.c_str(), &address) == 1;
}

bool IsIpv6(const std::string& host) {
  in6_addr address;
  return inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

absl::StatusOr<ListenAddress> ParseUnix(absl::string_view text, absl::string_view path) {
  if (!absl::StartsWith(path, "/")) return Invalid(text, "the socket's path is not absolute");
  if (path.size() > kMaxSocketPath) {
    return Invalid(text, absl::StrCat("the socket's path has ", path.size(),
                                      " bytes, more than the ", kMaxSocketPath, " allowed"));
  }
  if (absl::StrContains(path, '\0')) return Invalid(text, "the socket's path has a zero byte");
  if (absl::EndsWith(path, "/")) return Invalid(text, "the socket's path is a folder");
  return ListenAddress{.kind = ListenAddress::Kind::kUnix, .path = std::string(path)};
}

absl::StatusOr<uint16_t> ParsePort(absl::string_view text, absl::string_view port) {
  uint32_t number = 0;
  // SimpleAtoi alone would take "+1" and " 1".
  if (port.empty() || port.find_first_not_of("0123456789") != absl::string_view::npos ||
      !absl::SimpleAtoi(port, &number) || number > 65535) {
    return Invalid(text, absl::StrCat("\"", port, "\" is no port"));
  }
  return static_cast<uint16_t>(number);
}

}  // namespace

bool ListenAddress::IsLoopback() const {
  if (kind == Kind::kUnix) return true;
  in_addr v4;
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6;
  if (inet_pton(AF_INET6, host.c_str(), &v6) != 1) return false;
  return IN6_IS_ADDR_LOOPBACK(&v6) || (IN6_IS_ADDR_V4MAPPED(&v6) && v6.s6_addr[12] == 127);
}

std::string ListenAddress::ToString() const {
  if (kind == Kind::kUnix) return absl::StrCat("unix:", path);
  if (IsIpv6(host)) return absl::StrCat("[", host, "]:", port);
  return absl::StrCat(host, ":", port);
}

absl::StatusOr<ListenAddress> ParseListenAddress(absl::string_view text) {
  absl::string_view rest = text;
  if (absl::ConsumePrefix(&rest, "unix:")) {
    absl::ConsumePrefix(&rest, "//");  // unix:///path is written as often
    return ParseUnix(text, rest);
  }
  const size_t colon = text.rfind(':');
  if (colon == absl::string_view::npos) return Invalid(text, "no port");
  absl::string_view host = text.substr(0, colon);
  const absl::StatusOr<uint16_t> port = ParsePort(text, text.substr(colon + 1));

  ListenAddress address;
  if (absl::ConsumePrefix(&host, "[") && absl::ConsumeSuffix(&host, "]")) {
    address.host = std::string(host);
    if (!IsIpv6(address.host)) return Invalid(text, "no IPv6 address between the brackets");
  } else if (host == "localhost") {
    address.host = "127.0.0.1";
  } else if (host == "*") {
    address.host = "::";
  } else {
    address.host = std::string(host);
    if (IsIpv6(address.host)) return Invalid(text, "an IPv6 address wants brackets");
    if (!IsIpv4(address.host)) {
      return Invalid(text, absl::StrCat("\"", host, "\" is no IP address"));
    }
  }
  if (!port.ok()) return port.status();
  address.port = *port;
  return address;
}

}  // namespace podferry
