// What an HttpServer is told at its start: where to listen, TLS, and the limits that keep one
// client from taking what the others need. Plain values.

#ifndef PODFERRY_CORE_HTTP_HTTP_SERVER_OPTIONS_H_
#define PODFERRY_CORE_HTTP_HTTP_SERVER_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "core/http/listen_address.h"

namespace podferry {

// interLink keeps idle connections to a plugin for 120 s and does not retry a POST that meets a
// closing one: the pod would fail for good. So the server waits longer than that.
inline constexpr absl::Duration kDefaultHttpIdleTimeout = absl::Seconds(150);

struct HttpServerTls {
  std::string certificate_file;  // PEM, the whole chain
  std::string key_file;          // PEM
  // PEM. If set, clients must show a certificate that this CA signed.
  std::string client_ca_file;
};

struct HttpServerOptions {
  ListenAddress address;
  // kUnix only. 0660 lets the socket's group connect; 0600 only the user.
  uint32_t unix_socket_mode = 0660;
  absl::optional<HttpServerTls> tls;  // kTcp only

  uint64_t max_body_bytes = uint64_t{64} << 20;
  uint32_t max_header_bytes = 64 << 10;  // request line and all fields
  // Further connections are answered 503 and closed.
  size_t max_connections = 1024;

  absl::Duration idle_timeout = kDefaultHttpIdleTimeout;
  // For a TLS handshake, and for the header from its first byte to its last.
  absl::Duration header_timeout = absl::Seconds(30);
  // Each such span must bring at least 16 KiB of the body, or its end; and take some of the answer.
  absl::Duration progress_timeout = absl::Seconds(30);
};

}  // namespace podferry

#endif  // PODFERRY_CORE_HTTP_HTTP_SERVER_OPTIONS_H_
