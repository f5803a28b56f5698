#include "core/http/response_encoder.h"

#include <glog/logging.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace podferry::http_internal {
namespace {

// RFC 9110, 5.6.2.
bool IsTokenByte(char c) {
  return absl::ascii_isalnum(c) ||
         absl::string_view("!#$%&'*+-.^_`|~").find(c) != absl::string_view::npos;
}

bool IsSafeField(absl::string_view name, absl::string_view value) {
  return !name.empty() && std::all_of(name.begin(), name.end(), IsTokenByte) &&
         value.find_first_of(absl::string_view("\r\n\0", 3)) == absl::string_view::npos;
}

bool IsFramingField(absl::string_view name) {
  for (const absl::string_view ours :
       {"Content-Length", "Transfer-Encoding", "Connection", "Date", "Keep-Alive"}) {
    if (absl::EqualsIgnoreCase(name, ours)) return true;
  }
  return false;
}

void EncodeFields(const HttpHeaders& headers, std::string* out) {
  for (const auto& [name, value] : headers) {
    if (IsFramingField(name)) continue;
    if (!IsSafeField(name, value)) {
      LOG(ERROR) << "left out the HTTP header \"" << absl::CHexEscape(name)
                 << "\": its name or value cannot be sent";
      continue;
    }
    absl::StrAppend(out, name, ": ", value, "\r\n");
  }
}

}  // namespace

void EncodeResponseHead(int status, const HttpHeaders& headers, const ResponseFraming& framing,
                        absl::string_view date, std::string* out) {
  absl::StrAppend(out, "HTTP/1.1 ", status, " ", HttpReasonPhrase(status), "\r\nDate: ", date,
                  "\r\n");
  EncodeFields(headers, out);
  if (framing.chunked) {
    out->append("Transfer-Encoding: chunked\r\n");
  } else if (framing.content_length) {
    absl::StrAppend(out, "Content-Length: ", *framing.content_length, "\r\n");
  }
  if (!framing.keep_alive) {
    out->append("Connection: close\r\n");
  } else if (!framing.http11) {
    out->append("Connection: keep-alive\r\n");
  }
  out->append("\r\n");
}

void EncodeRequestHead(const HttpRequest& request, absl::string_view host, std::string* out) {
  absl::StrAppend(out, request.method, " ", request.path, request.query.empty() ? "" : "?",
                  request.query, " HTTP/1.1\r\n");
  if (!request.headers.Has("Host")) absl::StrAppend(out, "Host: ", host, "\r\n");
  EncodeFields(request.headers, out);
  // Methods that expect a body say so even when it is empty (RFC 9110, 8.6).
  if (!request.body.empty() || request.method == "POST" || request.method == "PUT" ||
      request.method == "PATCH") {
    absl::StrAppend(out, "Content-Length: ", request.body.size(), "\r\n");
  }
  out->append("\r\n");
}

void EncodeChunk(absl::string_view data, std::string* out) {
  if (!data.empty()) absl::StrAppend(out, absl::Hex(data.size()), "\r\n", data, "\r\n");
}

bool StatusHasBody(int status) { return status >= 200 && status != 204 && status != 304; }

absl::string_view HttpDate::At(std::time_t seconds) {
  if (seconds != seconds_) {
    seconds_ = seconds;
    text_ = absl::FormatTime("%a, %d %b %E4Y %H:%M:%S GMT", absl::FromTimeT(seconds),
                             absl::UTCTimeZone());
  }
  return text_;
}

}  // namespace podferry::http_internal
