// Routes requests to handlers by method and path. A pattern's segments match exactly and
// case-sensitively; "{name}" matches one whole segment, which may not be empty, and arrives
// percent-decoded in HttpRequest::path_params. A literal segment wins over a "{name}".
//
// No route for the path: 404; routes, but none for the method: 405 with Allow; a broken percent
// encoding: 400; all with a JSON error. HEAD is served by GET's route (the server drops the body).
//
// Filled once at start, then called from the event loop's thread.

#ifndef PODFERRY_CORE_HTTP_ROUTER_H_
#define PODFERRY_CORE_HTTP_ROUTER_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/http/http_message.h"
#include "core/http/response_writer.h"

namespace podferry {

class HttpRouter {
 public:
  // Two routes with the same method and pattern, or a pattern that does not start with "/", are
  // programming errors and abort.
  void Handle(absl::string_view method, absl::string_view pattern, HttpHandler handler);

  // Calls the one handler, or answers the error itself.
  void Dispatch(HttpRequest request, ResponseWriter writer);

  // This router as a server's handler; the router must outlive it.
  HttpHandler AsHandler();

  // The pattern that serves this request, or an empty view: a bounded label for metrics.
  absl::string_view PatternOf(const HttpRequest& request) const;

 private:
  using Path = std::vector<absl::string_view>;  // segments, still encoded
  struct Route {
    bool Matches(const Path& path) const;

    std::string method;
    std::string pattern;
    std::vector<std::string> segments;
    HttpHandler handler;
  };
  // The index of the route for this request, or -1.
  int Find(const HttpRequest& request, const Path& path) const;
  // "DELETE, GET, HEAD": the methods this path takes; empty if there is no such path.
  std::string Allowed(const Path& path) const;

  // The more literal pattern first.
  std::vector<Route> routes_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_HTTP_ROUTER_H_
