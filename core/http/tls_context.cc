#include "core/http/tls_context.h"

#include <openssl/ssl.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"

namespace podferry::http_internal {
namespace {

using ErrorCode = boost::system::error_code;

absl::Status FileError(absl::string_view what, const std::string& file, const ErrorCode& error) {
  return absl::InvalidArgumentError(
      absl::StrCat("cannot use the ", what, " in \"", file, "\": ", error.message()));
}

std::unique_ptr<TlsContext> MakeContext() {
  auto context = std::make_unique<TlsContext>(TlsContext::tls);
  SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
  return context;
}

absl::Status UseCertificate(TlsContext& context, const std::string& certificate_file,
                            const std::string& key_file) {
  ErrorCode error;
  context.use_certificate_chain_file(certificate_file, error);
  if (error) return FileError("certificate", certificate_file, error);
  // Also fails if the key is not the certificate's.
  context.use_private_key_file(key_file, TlsContext::pem, error);
  if (error) return FileError("key", key_file, error);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<TlsContext>> MakeServerTlsContext(const HttpServerTls& tls) {
  auto context = MakeContext();
  PODFERRY_RETURN_IF_ERROR(UseCertificate(*context, tls.certificate_file, tls.key_file));
  if (!tls.client_ca_file.empty()) {
    ErrorCode error;
    context->load_verify_file(tls.client_ca_file, error);
    if (error) return FileError("client CA", tls.client_ca_file, error);
    context->set_verify_mode(
        boost::asio::ssl::verify_peer | boost::asio::ssl::verify_fail_if_no_peer_cert, error);
    // Sessions are resumed only within this context, so with the same CA.
    constexpr unsigned char kSession[] = "podferry";
    SSL_CTX_set_session_id_context(context->native_handle(), kSession, sizeof(kSession) - 1);
  }
  return context;
}

absl::StatusOr<std::unique_ptr<TlsContext>> MakeClientTlsContext(
    const std::string& ca_file, const std::string& certificate_file, const std::string& key_file) {
  auto context = MakeContext();
  ErrorCode error;
  if (ca_file.empty()) {
    context->set_default_verify_paths(error);
  } else {
    context->load_verify_file(ca_file, error);
  }
  if (error) return FileError("CA", ca_file, error);
  context->set_verify_mode(boost::asio::ssl::verify_peer, error);
  if (!certificate_file.empty() || !key_file.empty()) {
    PODFERRY_RETURN_IF_ERROR(UseCertificate(*context, certificate_file, key_file));
  }
  return context;
}

}  // namespace podferry::http_internal
