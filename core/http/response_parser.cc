#include "core/http/response_parser.h"

#include <boost/beast/http/error.hpp>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace podferry::http_internal {
namespace {

namespace http = boost::beast::http;

constexpr uint32_t kMaxHeaderBytes = 64 << 10;
// A chunk's header line, or the trailer, which we drop.
constexpr size_t kMaxChunkHeader = 8 << 10;
// What ends any chunked body, "0\r\n\r\n": with less than that, Beast 1.74 fails an assertion.
constexpr size_t kLastChunk = 5;

absl::string_view ToAbsl(boost::beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

ResponseParser::ResponseParser(Sink* sink, bool head, std::optional<uint64_t> max_body_bytes)
    : sink_(sink) {
  header_limit(kMaxHeaderBytes);
  // Not boost::none, which this Beast takes for less than any Content-Length.
  body_limit(max_body_bytes.value_or(std::numeric_limits<uint64_t>::max()));
  skip(head);
  eager(true);
}

absl::StatusOr<size_t> ResponseParser::Feed(absl::string_view bytes) {
  size_t consumed = 0;
  while (consumed < bytes.size() && !is_done()) {
    if (header_done_ && chunked() && bytes.size() - consumed < kLastChunk) break;
    ErrorCode error;
    const size_t used =
        put(boost::asio::buffer(bytes.data() + consumed, bytes.size() - consumed), error);
    consumed += used;
    if (error && error != http::error::need_more) return ToStatus(error);
    const size_t rest = bytes.size() - consumed;
    if (header_done_) {
      if (error && rest > kMaxChunkHeader)
        return absl::DataLossError("malformed answer: bad chunk");
    } else {
      // Beast's limit is per call, so the fields that earlier calls have consumed are counted here.
      header_bytes_ += used;
      if (header_bytes_ + rest > kMaxHeaderBytes) return ToStatus(http::error::header_limit);
    }
    if (error) break;
  }
  return consumed;
}

absl::Status ResponseParser::FeedEnd() {
  if (!got_some()) return absl::DataLossError("the connection ended before an answer");
  ErrorCode error;
  put_eof(error);
  return error ? absl::DataLossError("the connection ended within the answer") : absl::OkStatus();
}

void ResponseParser::on_field_impl(Name, View name, View value, ErrorCode&) {
  if (!header_done_) headers_.Add(ToAbsl(name), ToAbsl(value));
}

void ResponseParser::on_header_impl(ErrorCode&) {
  header_done_ = true;
  if (!interim()) sink_->OnHeader(status_, std::move(headers_));
}

size_t ResponseParser::on_body_impl(View body, ErrorCode& error) {
  if (!sink_->OnBody(ToAbsl(body))) {
    stopped_ = true;
    error = http::error::end_of_stream;
  }
  return body.size();
}

size_t ResponseParser::on_chunk_body_impl(uint64_t, View body, ErrorCode& error) {
  return on_body_impl(body, error);
}

absl::Status ResponseParser::ToStatus(const ErrorCode& error) const {
  if (stopped_) return absl::CancelledError("the call was cancelled");
  if (error == http::error::body_limit) {
    return absl::ResourceExhaustedError("the answer is larger than the limit");
  }
  if (error == http::error::header_limit) {
    return absl::ResourceExhaustedError("the answer's header is larger than the limit");
  }
  return absl::DataLossError(absl::StrCat("malformed answer: ", error.message()));
}

}  // namespace podferry::http_internal
