#include "core/http/request_parser.h"

#include <algorithm>
#include <boost/beast/http/error.hpp>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace podferry::http_internal {
namespace {

namespace http = boost::beast::http;

// What a declared length may reserve before a byte of the body has come.
constexpr uint64_t kMaxReserve = 1 << 20;
// A chunk's header line, or the trailer, which we drop.
constexpr size_t kMaxChunkHeader = 8 << 10;
// What ends any chunked body, "0\r\n\r\n": with less than that, Beast 1.74 fails an assertion.
constexpr size_t kLastChunk = 5;

absl::string_view ToAbsl(boost::beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

RequestParser::RequestParser(uint32_t max_header_bytes, uint64_t max_body_bytes)
    : max_header_bytes_(max_header_bytes), max_body_bytes_(max_body_bytes) {
  header_limit(max_header_bytes);
  body_limit(max_body_bytes);
}

RequestParser::Progress RequestParser::Feed(absl::string_view bytes) {
  size_t consumed = 0;
  while (consumed < bytes.size()) {
    // The header by itself first, so that its bytes can be counted: Beast's limit is per call.
    const bool in_header = !header_done_;
    if (!in_header && chunked() && bytes.size() - consumed < kLastChunk) break;
    eager(!in_header);
    ErrorCode error;
    const size_t used =
        put(boost::asio::buffer(bytes.data() + consumed, bytes.size() - consumed), error);
    consumed += used;
    if (in_header) header_bytes_ += used;
    if (error && error != http::error::need_more) return Failure(error, consumed);
    if (in_header &&
        header_bytes_ + (header_done_ ? 0 : bytes.size() - consumed) > max_header_bytes_) {
      return TooLong(consumed);
    }
    if (is_done()) return {Progress::kDone, consumed, 0, ""};
    if (error) {
      if (header_done_ && bytes.size() - consumed > kMaxChunkHeader) {
        return {Progress::kFailed, consumed, 400, "chunk header or trailer too long"};
      }
      break;
    }
  }
  return {Progress::kNeedMore, consumed, 0, ""};
}

void RequestParser::on_request_impl(Verb, View method, View target, int version, ErrorCode& error) {
  version_ = version;
  request_.method = std::string(method);
  absl::string_view rest = ToAbsl(target);
  // The absolute form is for proxies, but every server has to take it (RFC 9112, 3.2.2).
  for (const absl::string_view scheme : {"http://", "https://"}) {
    if (!absl::StartsWithIgnoreCase(rest, scheme)) continue;
    const size_t path = rest.find('/', scheme.size());
    rest = path == absl::string_view::npos ? "/" : rest.substr(path);
  }
  if (!absl::StartsWith(rest, "/") && rest != "*") {
    return Fail(400, "the request's target is not a path", error);
  }
  const size_t question = std::min(rest.find('?'), rest.size());
  request_.path = std::string(rest.substr(0, question));
  if (question < rest.size()) request_.query = std::string(rest.substr(question + 1));
}

void RequestParser::on_field_impl(Name name, View name_string, View value, ErrorCode& error) {
  if (header_done_) return;  // a trailer must not pass for a header
  if (name == Name::host) ++hosts_;
  if (name == Name::transfer_encoding && !boost::beast::iequals(value, "chunked")) {
    unknown_coding_ = true;
  }
  if (name == Name::expect) {
    if (!boost::beast::iequals(value, "100-continue")) {
      return Fail(417, "Expect is understood only as 100-continue", error);
    }
    expects_continue_ = version_ >= 11;
  }
  request_.headers.Add(ToAbsl(name_string), ToAbsl(value));
}

void RequestParser::on_header_impl(ErrorCode& error) {
  header_done_ = true;
  if (unknown_coding_) return Fail(501, "Transfer-Encoding is understood only as chunked", error);
  if (hosts_ > 1 || (hosts_ == 0 && version_ >= 11)) {
    return Fail(400, "want exactly one Host header", error);
  }
}

void RequestParser::on_body_init_impl(const boost::optional<uint64_t>& length, ErrorCode&) {
  if (length) request_.body.reserve(std::min(*length, kMaxReserve));
}

size_t RequestParser::on_body_impl(View body, ErrorCode&) {
  request_.body.append(body.data(), body.size());
  return body.size();
}

size_t RequestParser::on_chunk_body_impl(uint64_t, View body, ErrorCode& error) {
  return on_body_impl(body, error);
}

void RequestParser::Fail(int status, absl::string_view message, ErrorCode& error) {
  fail_status_ = status;
  fail_message_ = std::string(message);
  error = http::error::bad_value;
}

RequestParser::Progress RequestParser::Failure(ErrorCode error, size_t consumed) const {
  if (fail_status_ != 0) return {Progress::kFailed, consumed, fail_status_, fail_message_};
  if (error == http::error::header_limit) return TooLong(consumed);
  if (error == http::error::body_limit) {
    return {Progress::kFailed, consumed, 413,
            absl::StrCat("the body is larger than ", max_body_bytes_, " bytes")};
  }
  return {Progress::kFailed, consumed, 400, absl::StrCat("malformed request: ", error.message())};
}

RequestParser::Progress RequestParser::TooLong(size_t consumed) const {
  return {Progress::kFailed, consumed, 431,
          absl::StrCat("the header is larger than ", max_header_bytes_, " bytes")};
}

}  // namespace podferry::http_internal
