#include "core/store/redis_url.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/base/status_macros.h"

namespace podferry {
namespace {

constexpr absl::string_view kUnixScheme = "redis+unix:";
constexpr absl::string_view kTcpScheme = "redis://";

absl::StatusOr<int> ParseNumber(absl::string_view text, int low, int high, absl::string_view what) {
  int number;
  if (!absl::SimpleAtoi(text, &number) || number < low || number > high) {
    return absl::InvalidArgumentError(
        absl::StrCat("the Redis URL's ", what, " is no number from ", low, " to ", high));
  }
  return number;
}

// "%40" is '@': passwords may hold what has a meaning in URLs.
absl::StatusOr<std::string> DecodePercent(absl::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    int byte;
    if (i + 2 >= text.size() || !absl::SimpleHexAtoi(text.substr(i + 1, 2), &byte)) {
      return absl::InvalidArgumentError("the Redis URL has a '%' without two hex digits");
    }
    decoded.push_back(static_cast<char>(byte));
    i += 2;
  }
  return decoded;
}

absl::Status ParseQuery(absl::string_view query, RedisUrl& url) {
  if (!absl::ConsumePrefix(&query, "db=")) {
    return absl::InvalidArgumentError("the Redis URL may only have ?db=N behind the '?'");
  }
  PODFERRY_ASSIGN_OR_RETURN(url.db, ParseNumber(query, 0, 1 << 20, "db"));
  return absl::OkStatus();
}

absl::Status ParseCredentials(absl::string_view text, RedisUrl& url) {
  const size_t colon = text.find(':');
  if (colon == absl::string_view::npos) {
    return absl::InvalidArgumentError("the Redis URL has a user without a password");
  }
  PODFERRY_ASSIGN_OR_RETURN(url.user, DecodePercent(text.substr(0, colon)));
  PODFERRY_ASSIGN_OR_RETURN(url.password, DecodePercent(text.substr(colon + 1)));
  return absl::OkStatus();
}

absl::Status ParseAddress(absl::string_view text, RedisUrl& url) {
  absl::ConsumeSuffix(&text, "/");
  if (absl::ConsumePrefix(&text, "[")) {  // IPv6.
    const size_t end = text.find(']');
    if (end == absl::string_view::npos) {
      return absl::InvalidArgumentError("the Redis URL has a '[' without a ']'");
    }
    url.host = std::string(text.substr(0, end));
    text.remove_prefix(end + 1);
  } else {
    url.host = std::string(text.substr(0, text.find(':')));
    text.remove_prefix(url.host.size());
  }
  if (url.host.empty() || url.host.find('/') != std::string::npos) {
    return absl::InvalidArgumentError("the Redis URL has no proper host");
  }
  if (text.empty()) return absl::OkStatus();
  if (!absl::ConsumePrefix(&text, ":")) {
    return absl::InvalidArgumentError("the Redis URL has something behind its host");
  }
  PODFERRY_ASSIGN_OR_RETURN(url.port, ParseNumber(text, 1, 65535, "port"));
  return absl::OkStatus();
}

}  // namespace

std::string RedisUrl::ToString() const {
  return unix_path.empty() ? absl::StrCat(kTcpScheme, host, ":", port)
                           : absl::StrCat(kUnixScheme, unix_path);
}

bool IsRedisUrl(absl::string_view text) {
  return absl::StartsWith(text, "redis:") || absl::StartsWith(text, "redis+") ||
         absl::StartsWith(text, "rediss:");
}

absl::StatusOr<RedisUrl> ParseRedisUrl(absl::string_view text) {
  RedisUrl url;
  const bool is_unix = absl::ConsumePrefix(&text, kUnixScheme);
  if (!is_unix && !absl::ConsumePrefix(&text, kTcpScheme)) {
    return absl::InvalidArgumentError(
        "a Redis URL begins with redis+unix:/ or redis:// (TLS is not supported)");
  }
  if (const size_t mark = text.rfind('?'); mark != absl::string_view::npos) {
    PODFERRY_RETURN_IF_ERROR(ParseQuery(text.substr(mark + 1), url));
    text = text.substr(0, mark);
  }
  if (is_unix) {
    if (absl::StartsWith(text, "//")) text.remove_prefix(2);
    if (!absl::StartsWith(text, "/")) {
      return absl::InvalidArgumentError("redis+unix: wants an absolute path");
    }
    url.unix_path = std::string(text);
    return url;
  }
  if (const size_t at = text.rfind('@'); at != absl::string_view::npos) {
    PODFERRY_RETURN_IF_ERROR(ParseCredentials(text.substr(0, at), url));
    text.remove_prefix(at + 1);
  }
  PODFERRY_RETURN_IF_ERROR(ParseAddress(text, url));
  return url;
}

}  // namespace podferry
