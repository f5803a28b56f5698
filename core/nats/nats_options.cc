#include "core/nats/nats_options.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/status_macros.h"
#include "core/nats/subject_match.h"

namespace podferry {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::optional<std::string> PercentDecode(absl::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = HexDigit(text[i + 1]);
    const int low = HexDigit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    decoded.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return decoded;
}

// Errors name what is wrong, never the text: it may hold a password.
absl::Status Bad(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("NATS URL: ", why));
}

absl::Status TakeScheme(absl::string_view& url, NatsAddress& address) {
  const size_t end = url.find("://");
  const std::string scheme =
      end == absl::string_view::npos ? "nats" : absl::AsciiStrToLower(url.substr(0, end));
  if (end != absl::string_view::npos) url.remove_prefix(end + 3);
  if (scheme == "ws" || scheme == "wss") {
    return absl::UnimplementedError(
        absl::StrCat("NATS URL: ", scheme,
                     ":// (NATS over WebSocket) is not supported by this build; use "
                     "nats:// or tls://"));
  }
  if (scheme != "nats" && scheme != "tls") return Bad("want nats:// or tls://");
  address.tls = scheme == "tls";
  return absl::OkStatus();
}

absl::Status TakeUser(absl::string_view& url, NatsAddress& address) {
  const size_t at = url.rfind('@');
  if (at == absl::string_view::npos) return absl::OkStatus();
  const absl::string_view user_info = url.substr(0, at);
  url.remove_prefix(at + 1);
  const size_t colon = user_info.find(':');
  const std::optional<std::string> user = PercentDecode(user_info.substr(0, colon));
  const std::optional<std::string> password = PercentDecode(
      colon == absl::string_view::npos ? absl::string_view() : user_info.substr(colon + 1));
  if (!user.has_value() || !password.has_value()) {
    return Bad("user or password has a '%' that is not followed by two hex digits");
  }
  if (user->empty()) return Bad("the user before '@' is empty");
  if (colon == absl::string_view::npos) {
    address.token = *user;
  } else {
    address.user = *user;
    address.password = *password;
  }
  return absl::OkStatus();
}

absl::Status TakeHost(absl::string_view url, NatsAddress& address) {
  absl::ConsumeSuffix(&url, "/");
  absl::string_view host = url;
  absl::string_view port;
  if (absl::ConsumePrefix(&host, "[")) {
    const size_t end = host.find(']');
    if (end == absl::string_view::npos) return Bad("'[' without ']' in the host");
    port = host.substr(end + 1);
    host = host.substr(0, end);
    if (!port.empty() && !absl::ConsumePrefix(&port, ":")) return Bad("want a port after ']'");
  } else if (const size_t colon = host.rfind(':'); colon != absl::string_view::npos) {
    port = host.substr(colon + 1);
    host = host.substr(0, colon);
    if (port.empty()) return Bad("the port is empty");
  }
  if (host.empty()) return Bad("the host is empty");
  for (const char c : host) {
    if (!absl::ascii_isgraph(static_cast<unsigned char>(c)) || absl::StrContains("/?#,@[]", c)) {
      return Bad("the host has a character that no host has");
    }
  }
  if (!port.empty() &&
      (!absl::SimpleAtoi(port, &address.port) || address.port < 1 || address.port > 65535)) {
    return Bad("want a port from 1 to 65535");
  }
  address.host = std::string(host);
  return absl::OkStatus();
}

}  // namespace

std::string NatsAddress::ToString() const {
  if (absl::StrContains(host, ':')) return absl::StrCat("[", host, "]:", port);
  return absl::StrCat(host, ":", port);
}

absl::StatusOr<std::vector<NatsAddress>> ParseNatsUrl(absl::string_view url) {
  std::vector<NatsAddress> addresses;
  for (absl::string_view part : absl::StrSplit(url, ',')) {
    part = absl::StripAsciiWhitespace(part);
    if (part.empty()) return Bad("is empty, or has an empty part between commas");
    NatsAddress address;
    PODFERRY_RETURN_IF_ERROR(TakeScheme(part, address));
    PODFERRY_RETURN_IF_ERROR(TakeUser(part, address));
    PODFERRY_RETURN_IF_ERROR(TakeHost(part, address));
    addresses.push_back(std::move(address));
  }
  return addresses;
}

absl::Status CheckNatsOptions(const NatsOptions& options) {
  PODFERRY_RETURN_IF_ERROR(ParseNatsUrl(options.url).status());
  if (!options.creds_file.empty() && !options.nkey_file.empty()) {
    return absl::InvalidArgumentError("NATS: give a credentials file or an NKey file, not both");
  }
  if (options.cert_file.empty() != options.key_file.empty()) {
    return absl::InvalidArgumentError("NATS: a client certificate and its key go together");
  }
  return CheckPublishSubject(options.inbox_prefix);
}

}  // namespace podferry
