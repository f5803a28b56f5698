// Parses one HTTP/1.1 request incrementally, straight into an HttpRequest. Internal to core/http;
// the grammar is Boost.Beast's. Knows no sockets.

#ifndef PODFERRY_CORE_HTTP_REQUEST_PARSER_H_
#define PODFERRY_CORE_HTTP_REQUEST_PARSER_H_

#include <boost/beast/http/basic_parser.hpp>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "core/http/http_message.h"

namespace podferry::http_internal {

class RequestParser : private boost::beast::http::basic_parser<true> {
 public:
  struct Progress {
    enum State { kNeedMore, kDone, kFailed };
    State state = kNeedMore;
    size_t consumed = 0;
    // kFailed: what to answer.
    int status = 0;
    std::string message;
  };

  RequestParser(uint32_t max_header_bytes, uint64_t max_body_bytes);

  // Feeds the next bytes. Those not consumed are to be given again, with more after them. Not to be
  // called after kDone or kFailed.
  Progress Feed(absl::string_view bytes);

  bool header_done() const { return header_done_; }
  // The client waits for "100 Continue" before it sends the body.
  bool expects_continue() const { return expects_continue_; }
  uint64_t body_bytes() const { return request_.body.size(); }

  // After kDone.
  bool http11() const { return version_ == 11; }
  bool keep_alive() const { return basic_parser::keep_alive(); }
  HttpRequest TakeRequest() { return std::move(request_); }

 private:
  using ErrorCode = boost::beast::error_code;
  using View = boost::beast::string_view;
  using Verb = boost::beast::http::verb;
  using Name = boost::beast::http::field;

  void on_request_impl(Verb, View method, View target, int version, ErrorCode& error) override;
  void on_response_impl(int, View, int, ErrorCode&) override {}
  void on_field_impl(Name name, View name_string, View value, ErrorCode& error) override;
  void on_header_impl(ErrorCode& error) override;
  void on_body_init_impl(const boost::optional<uint64_t>& length, ErrorCode& error) override;
  size_t on_body_impl(View body, ErrorCode& error) override;
  void on_chunk_header_impl(uint64_t, View, ErrorCode&) override {}
  size_t on_chunk_body_impl(uint64_t remain, View body, ErrorCode& error) override;
  void on_finish_impl(ErrorCode&) override {}

  // Makes Feed fail with this answer.
  void Fail(int status, absl::string_view message, ErrorCode& error);
  Progress Failure(ErrorCode error, size_t consumed) const;
  Progress TooLong(size_t consumed) const;

  const uint32_t max_header_bytes_;
  const uint64_t max_body_bytes_;
  HttpRequest request_;
  size_t header_bytes_ = 0;
  int version_ = 11;
  int hosts_ = 0;
  bool unknown_coding_ = false;
  bool header_done_ = false;
  bool expects_continue_ = false;
  int fail_status_ = 0;
  std::string fail_message_;
};

}  // namespace podferry::http_internal

#endif  // PODFERRY_CORE_HTTP_REQUEST_PARSER_H_
