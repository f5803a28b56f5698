// TLS settings from PEM files. Internal to core/http. TLS 1.2 at least; errors name the file and
// the reason, never its contents.

#ifndef PODFERRY_CORE_HTTP_TLS_CONTEXT_H_
#define PODFERRY_CORE_HTTP_TLS_CONTEXT_H_

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "core/http/http_server_options.h"

namespace podferry::http_internal {

using TlsContext = boost::asio::ssl::context;

// InvalidArgument if a file cannot be used, or key and certificate do not belong together.
absl::StatusOr<std::unique_ptr<TlsContext>> MakeServerTlsContext(const HttpServerTls& tls);

// Verifies the server by `ca_file`, or by the system's authorities if that is empty.
// `certificate_file` and `key_file` may both be empty.
absl::StatusOr<std::unique_ptr<TlsContext>> MakeClientTlsContext(
    const std::string& ca_file, const std::string& certificate_file, const std::string& key_file);

}  // namespace podferry::http_internal

#endif  // PODFERRY_CORE_HTTP_TLS_CONTEXT_H_
