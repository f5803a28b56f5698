#include "core/http/http_endpoint.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/base/status_macros.h"
#include "core/http/listen_address.h"

namespace podferry::http_internal {
namespace {

constexpr uint16_t kHttpPort = 80;
constexpr uint16_t kHttpsPort = 443;

// The text itself is left out: somebody may have put a password into it.
absl::Status Invalid(absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("URL: ", why, " (want http://host:port, https://host:port or unix:/path)"));
}

// A number, by way of the parser of listen addresses.
absl::StatusOr<uint16_t> ParsePort(absl::string_view port) {
  const absl::StatusOr<ListenAddress> address =
      ParseListenAddress(absl::StrCat("127.0.0.1:", port));
  if (!address.ok() || address->port == 0) return Invalid("the port is not from 1 to 65535");
  return address->port;
}

bool IsHostByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_';
}

}  // namespace

std::string HttpEndpoint::HostHeader() const {
  if (kind == Kind::kUnix) return "localhost";
  const std::string name = absl::StrContains(host, ':') ? absl::StrCat("[", host, "]") : host;
  if (port == (kind == Kind::kHttps ? kHttpsPort : kHttpPort)) return name;
  return absl::StrCat(name, ":", port);
}

std::string HttpEndpoint::ToString() const {
  if (kind == Kind::kUnix) return absl::StrCat("unix:", path);
  return absl::StrCat(kind == Kind::kHttps ? "https://" : "http://", HostHeader());
}

absl::StatusOr<HttpEndpoint> ParseHttpEndpoint(absl::string_view url) {
  if (absl::StartsWith(url, "unix:")) {
    const absl::StatusOr<ListenAddress> address = ParseListenAddress(url);
    if (!address.ok()) return address.status();
    return HttpEndpoint{.kind = HttpEndpoint::Kind::kUnix, .path = address->path};
  }
  HttpEndpoint endpoint;
  if (absl::ConsumePrefix(&url, "https://")) {
    endpoint.kind = HttpEndpoint::Kind::kHttps;
  } else if (!absl::ConsumePrefix(&url, "http://")) {
    return Invalid("unknown scheme");
  }
  absl::ConsumeSuffix(&url, "/");
  if (absl::StrContains(url, '@')) return Invalid("a user name is not supported");
  if (url.find_first_of("/?#") != absl::string_view::npos)
    return Invalid("a path is not supported");

  const bool bracketed = absl::StartsWith(url, "[");
  const size_t host_end = bracketed ? url.find(']') + 1 : std::min(url.find(':'), url.size());
  absl::string_view host = url.substr(0, host_end);
  absl::string_view port = url.substr(host_end);
  if (bracketed) {
    const absl::StatusOr<ListenAddress> address = ParseListenAddress(absl::StrCat(host, ":1"));
    if (!address.ok()) return Invalid("no IPv6 address between the brackets");
    endpoint.host = address->host;
  } else {
    for (const char c : host) {
      if (!IsHostByte(c)) return Invalid("the host has a character that no host name has");
    }
    if (host.empty()) return Invalid("no host");
    endpoint.host = std::string(host);
  }
  endpoint.port = endpoint.kind == HttpEndpoint::Kind::kHttps ? kHttpsPort : kHttpPort;
  if (absl::ConsumePrefix(&port, ":")) {
    PODFERRY_ASSIGN_OR_RETURN(endpoint.port, ParsePort(port));
  } else if (!port.empty()) {
    return Invalid("the host is malformed");
  }
  return endpoint;
}

}  // namespace podferry::http_internal
