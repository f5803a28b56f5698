// Parses one HTTP/1.1 response incrementally and hands its parts on. Internal to core/http; the
// grammar is Boost.Beast's. Knows no sockets.

#ifndef PODFERRY_CORE_HTTP_RESPONSE_PARSER_H_
#define PODFERRY_CORE_HTTP_RESPONSE_PARSER_H_

#include <boost/beast/http/basic_parser.hpp>
#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/http/http_message.h"

namespace podferry::http_internal {

class ResponseParser : private boost::beast::http::basic_parser<false> {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void OnHeader(int status, HttpHeaders headers) = 0;
    // False stops the parser.
    virtual bool OnBody(absl::string_view bytes) = 0;
  };

  // `head`: the answer to a HEAD request, which has no body. `max_body_bytes`: nullopt is any.
  ResponseParser(Sink* sink, bool head, std::optional<uint64_t> max_body_bytes);

  // Feeds the next bytes, and returns how many were consumed; those that were not are to be given
  // again, with more after them. Not to be called when done. Errors: ResourceExhausted (limits),
  // DataLoss (malformed), Cancelled (the sink stopped it).
  absl::StatusOr<size_t> Feed(absl::string_view bytes);

  // The connection has ended. OK if that completes the answer; DataLoss if something is missing.
  absl::Status FeedEnd();

  bool done() const { return is_done(); }
  bool keep_alive() const { return basic_parser::keep_alive(); }
  int status() const { return status_; }
  // Only an announcement (1xx): another answer follows.
  bool interim() const { return status_ >= 100 && status_ < 200; }

 private:
  using ErrorCode = boost::beast::error_code;
  using View = boost::beast::string_view;
  using Verb = boost::beast::http::verb;
  using Name = boost::beast::http::field;

  void on_request_impl(Verb, View, View, int, ErrorCode&) override {}
  void on_response_impl(int status, View, int, ErrorCode&) override { status_ = status; }
  void on_field_impl(Name, View name, View value, ErrorCode&) override;
  void on_header_impl(ErrorCode&) override;
  void on_body_init_impl(const boost::optional<uint64_t>&, ErrorCode&) override {}
  size_t on_body_impl(View body, ErrorCode& error) override;
  void on_chunk_header_impl(uint64_t, View, ErrorCode&) override {}
  size_t on_chunk_body_impl(uint64_t remain, View body, ErrorCode& error) override;
  void on_finish_impl(ErrorCode&) override {}

  absl::Status ToStatus(const ErrorCode& error) const;

  Sink* const sink_;
  HttpHeaders headers_;
  size_t header_bytes_ = 0;
  int status_ = 0;
  bool header_done_ = false;
  bool stopped_ = false;
};

}  // namespace podferry::http_internal

#endif  // PODFERRY_CORE_HTTP_RESPONSE_PARSER_H_
