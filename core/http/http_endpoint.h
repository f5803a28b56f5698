// Where an HttpClient connects to: "http://host:port", "https://host:port", "unix:/path". Internal
// to core/http; pure.

#ifndef PODFERRY_CORE_HTTP_HTTP_ENDPOINT_H_
#define PODFERRY_CORE_HTTP_HTTP_ENDPOINT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace podferry::http_internal {

struct HttpEndpoint {
  enum class Kind { kHttp, kHttps, kUnix };
  Kind kind = Kind::kHttp;
  std::string host;  // a name or an IP literal without brackets
  uint16_t port = 0;
  std::string path;  // kUnix

  // The Host header: "[::1]:4000"; without a port that is the scheme's own.
  std::string HostHeader() const;
  // Equal for equal endpoints; also for error texts.
  std::string ToString() const;
};

// InvalidArgument for anything else, also for a user, a path or a query.
absl::StatusOr<HttpEndpoint> ParseHttpEndpoint(absl::string_view url);

}  // namespace podferry::http_internal

#endif  // PODFERRY_CORE_HTTP_HTTP_ENDPOINT_H_
