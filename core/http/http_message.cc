#include "core/http/http_message.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace podferry {
namespace {

struct Reason {
  int status;
  absl::string_view phrase;
};

// RFC 9110, section 15, and RFC 6585; sorted.
constexpr Reason kReasons[] = {
    {100, "Continue"},
    {101, "Switching Protocols"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {203, "Non-Authoritative Information"},
    {204, "No Content"},
    {205, "Reset Content"},
    {206, "Partial Content"},
    {300, "Multiple Choices"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {425, "Too Early"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {499, "Client Closed Request"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {507, "Insufficient Storage"},
};

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsUnreserved(char c) {
  return absl::ascii_isalnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

}  // namespace

absl::string_view HttpHeaders::Get(absl::string_view name) const {
  for (const Field& field : fields_) {
    if (absl::EqualsIgnoreCase(field.first, name)) return field.second;
  }
  return {};
}

bool HttpHeaders::Has(absl::string_view name) const {
  return std::any_of(fields_.begin(), fields_.end(),
                     [&](const Field& field) { return absl::EqualsIgnoreCase(field.first, name); });
}

void HttpHeaders::Add(absl::string_view name, absl::string_view value) {
  fields_.emplace_back(name, value);
}

void HttpHeaders::Set(absl::string_view name, absl::string_view value) {
  Remove(name);
  Add(name, value);
}

void HttpHeaders::Remove(absl::string_view name) {
  fields_.erase(
      std::remove_if(fields_.begin(), fields_.end(),
                     [&](const Field& field) { return absl::EqualsIgnoreCase(field.first, name); }),
      fields_.end());
}

absl::string_view HttpRequest::PathParam(absl::string_view name) const {
  for (const auto& [key, value] : path_params) {
    if (key == name) return value;
  }
  return {};
}

absl::optional<std::string> HttpRequest::QueryParam(absl::string_view name) const {
  const auto decode = [](absl::string_view text) {
    std::string spaced(text);
    std::replace(spaced.begin(), spaced.end(), '+', ' ');
    return PercentDecode(spaced);
  };
  for (absl::string_view pair : absl::StrSplit(query, '&', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(pair, absl::MaxSplits('=', 1));
    const absl::StatusOr<std::string> key = decode(parts.first);
    if (!key.ok() || *key != name) continue;
    absl::StatusOr<std::string> value = decode(parts.second);
    if (!value.ok()) return absl::nullopt;
    return *std::move(value);
  }
  return absl::nullopt;
}

HttpResponse HttpResponse::Text(int status, std::string body) {
  return {status, {{"Content-Type", "text/plain; charset=utf-8"}}, std::move(body)};
}

HttpResponse HttpResponse::Json(int status, std::string body) {
  return {status, {{"Content-Type", "application/json"}}, std::move(body)};
}

absl::string_view HttpReasonPhrase(int status) {
  const auto* found = std::lower_bound(std::begin(kReasons), std::end(kReasons), status,
                                       [](const Reason& r, int s) { return r.status < s; });
  return found != std::end(kReasons) && found->status == status ? found->phrase : "Unknown";
}

absl::StatusOr<std::string> PercentDecode(absl::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded.push_back(text[i]);
      continue;
    }
    const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"%\" without two hexadecimal digits at byte ", i));
    }
    decoded.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return decoded;
}

std::string PercentEncode(absl::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (IsUnreserved(c)) {
      encoded.push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded.append({'%', kHex[byte >> 4], kHex[byte & 15]});
    }
  }
  return encoded;
}

}  // namespace podferry
