#include "core/nats/nats_dial.h"

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/base/redact.h"
#include "core/base/status_macros.h"
#include "core/nats/nkey.h"

namespace podferry {
namespace {

struct DestroyNatsOptions {
  void operator()(natsOptions* options) const { natsOptions_Destroy(options); }
};
using OptionsHandle = std::unique_ptr<natsOptions, DestroyNatsOptions>;

absl::StatusCode CodeOf(natsStatus status) {
  switch (status) {
    case NATS_CONNECTION_AUTH_FAILED:
    case NATS_NOT_PERMITTED:
      return absl::StatusCode::kUnauthenticated;
    case NATS_SSL_ERROR:
    case NATS_SECURE_CONNECTION_REQUIRED:
    case NATS_SECURE_CONNECTION_WANTED:
      return absl::StatusCode::kFailedPrecondition;
    case NATS_NO_MEMORY:
      return absl::StatusCode::kResourceExhausted;
    default:
      return absl::StatusCode::kUnavailable;
  }
}

// nats.c writes these into JSON as they are.
std::string JsonEscaped(absl::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped.push_back('\\');
    if (static_cast<unsigned char>(c) < ' ') {
      absl::StrAppend(&escaped, "\\u00", absl::Hex(c, absl::kZeroPad2));
    } else {
      escaped.push_back(c);
    }
  }
  return escaped;
}

absl::Status Check(natsStatus status, absl::string_view doing) {
  return status == NATS_OK ? absl::OkStatus() : NatsError(status, doing);
}

absl::Status CheckReadable(const std::string& path, absl::string_view what) {
  if (std::ifstream(path).good()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("cannot read ", what, " ", path));
}

absl::Status SetUser(natsOptions* to, const NatsOptions& options, const NatsAddress& address) {
  if (!address.token.empty()) {
    return Check(natsOptions_SetToken(to, JsonEscaped(address.token).c_str()), "token");
  }
  if (!address.user.empty()) {
    return Check(natsOptions_SetUserInfo(to, JsonEscaped(address.user).c_str(),
                                         JsonEscaped(address.password).c_str()),
                 "user");
  }
  if (!options.creds_file.empty()) {
    PODFERRY_RETURN_IF_ERROR(CheckReadable(options.creds_file, "credentials"));
    return Check(natsOptions_SetUserCredentialsFromFiles(to, options.creds_file.c_str(), nullptr),
                 "credentials");
  }
  if (!options.nkey_file.empty()) {
    PODFERRY_RETURN_IF_ERROR(CheckReadable(options.nkey_file, "NKey"));
    std::ifstream file(options.nkey_file, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const absl::StatusOr<std::string> key = PublicNkeyOfSeed(text);
    if (!key.ok()) {
      return absl::FailedPreconditionError(
          absl::StrCat(options.nkey_file, ": ", key.status().message()));
    }
    return Check(natsOptions_SetNKeyFromSeed(to, key->c_str(), options.nkey_file.c_str()), "NKey");
  }
  return absl::OkStatus();
}

absl::Status SetBehaviour(natsOptions* to, const NatsOptions& options, const std::string& server) {
  const std::string url = absl::StrCat("nats://", server);
  for (const natsStatus status : {
           natsOptions_SetURL(to, url.c_str()),
           natsOptions_SetName(to, options.name.c_str()),
           natsOptions_SetAllowReconnect(to, false),
           natsOptions_SetReconnectBufSize(to, 0),
           natsOptions_SetIgnoreDiscoveredServers(to, true),
           natsOptions_SetTimeout(to, absl::ToInt64Milliseconds(options.connect_timeout)),
           natsOptions_SetPingInterval(to, absl::ToInt64Milliseconds(options.ping_interval)),
           natsOptions_SetMaxPingsOut(to, 2),
           natsOptions_SetWriteDeadline(to, absl::ToInt64Milliseconds(options.write_deadline)),
           // Our sender writes in batches of its own; waiting for more would cost 1 ms each way.
           natsOptions_SetSendAsap(to, true),
           // One thread for all subscriptions, which keeps their messages in order.
           natsOptions_UseGlobalMessageDelivery(to, true),
       }) {
    PODFERRY_RETURN_IF_ERROR(Check(status, "options"));
  }
  return absl::OkStatus();
}

// Also of a server that is named without: nats.c would begin TLS by itself, which it must not
// (tls_tunnel.h).
absl::StatusOr<bool> WantsTls(const NatsOptions& options, const NatsAddress& address) {
  if (address.tls || !options.ca_file.empty() || !options.cert_file.empty()) return true;
  return TlsTunnel::IsAskedFor(options, address);
}

void OnClosed(natsConnection*, void* closure) {
  const std::unique_ptr<NatsEvents> events(static_cast<NatsEvents*>(closure));
  events->closed();
}

void OnError(natsConnection*, natsSubscription*, natsStatus status, void* closure) {
  // The text is this thread's own; natsConnection_GetLastError would point into a buffer that the
  // connection's threads are writing.
  static_cast<NatsEvents*>(closure)->error(NatsError(status, "from the server"));
}

}  // namespace

absl::Status NatsError(natsStatus status, absl::string_view doing) {
  natsStatus last = NATS_OK;
  const char* text = nats_GetLastError(&last);
  std::string message = absl::StrCat(doing, ": ", natsStatus_GetText(status));
  if (text != nullptr && last == status) {
    // "(conn.c:2088): No server available for connection"
    absl::string_view detail = text;
    if (const size_t end = detail.find("): "); absl::StartsWith(detail, "(")) {
      detail = end == absl::string_view::npos ? absl::string_view() : detail.substr(end + 3);
    }
    if (!detail.empty() && detail != natsStatus_GetText(status)) {
      absl::StrAppend(&message, ": ", detail);
    }
  }
  return absl::Status(CodeOf(status), RedactUrls(message));
}

absl::StatusOr<NatsConnection> DialNats(const NatsOptions& options, const NatsAddress& address,
                                        NatsEvents events) {
  std::unique_ptr<TlsTunnel> tunnel;
  std::string server = address.ToString();
  PODFERRY_ASSIGN_OR_RETURN(const bool tls, WantsTls(options, address));
  if (tls) {
    PODFERRY_ASSIGN_OR_RETURN(tunnel, TlsTunnel::Open(options, address));
    server = absl::StrCat("127.0.0.1:", tunnel->port());
  }
  natsOptions* raw = nullptr;
  PODFERRY_RETURN_IF_ERROR(Check(natsOptions_Create(&raw), "options"));
  const OptionsHandle handle(raw);
  PODFERRY_RETURN_IF_ERROR(SetBehaviour(raw, options, server));
  PODFERRY_RETURN_IF_ERROR(SetUser(raw, options, address));

  // Freed by OnClosed, which a connection that was made calls exactly once, and another never.
  auto closure = std::make_unique<NatsEvents>(std::move(events));
  PODFERRY_RETURN_IF_ERROR(Check(natsOptions_SetClosedCB(raw, OnClosed, closure.get()), "options"));
  PODFERRY_RETURN_IF_ERROR(
      Check(natsOptions_SetErrorHandler(raw, OnError, closure.get()), "options"));
  natsConnection* connection = nullptr;
  const natsStatus status = natsConnection_Connect(&connection, raw);
  if (status != NATS_OK) return NatsError(status, absl::StrCat("connect to ", address.ToString()));
  static_cast<void>(closure.release());
  return NatsConnection(std::move(tunnel), connection);
}

}  // namespace podferry
