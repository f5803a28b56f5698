// An HttpClient whose requests go straight to a handler in this process: programs that talk HTTP
// are tested without sockets. Answers come back by the loop, as from a real server; a stream's
// chunks arrive one by one. Whatever the URL, it is the one handler that answers.

#ifndef PODFERRY_CORE_HTTP_TESTING_IN_PROCESS_CLIENT_H_
#define PODFERRY_CORE_HTTP_TESTING_IN_PROCESS_CLIENT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/http/http_client.h"
#include "core/http/response_writer.h"
#include "core/os/event_loop.h"

namespace podferry {

class InProcessClient final : public HttpClient {
 public:
  // Both outlive this and the calls.
  InProcessClient(EventLoop& loop, HttpHandler handler);

  // Further calls fail with this, as if the server were down; OK ends that.
  void FailWith(absl::Status status) { failure_ = std::move(status); }

  struct Seen {
    std::string url;
    HttpRequest request;
  };
  const std::vector<Seen>& seen() const { return seen_; }

  HttpCall Send(absl::string_view url, HttpRequest request, HttpCallOptions options,
                ResponseCallback done) override;
  HttpCall Stream(absl::string_view url, HttpRequest request, HttpCallOptions options,
                  HttpStreamCallbacks callbacks) override;

 private:
  EventLoop& loop_;
  HttpHandler handler_;
  absl::Status failure_;
  std::vector<Seen> seen_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_HTTP_TESTING_IN_PROCESS_CLIENT_H_
