// An asynchronous HTTP/1.1 client on the daemon's event loop, for "http://host:port",
// "https://host:port" and "unix:/path".
//
// The owner keeps it alive while calls run; it and everything it calls back live on the loop's
// thread. Destroying it cancels its calls without calling back. Connections are kept alive and
// reused per endpoint. A request that fails on a reused connection before any byte of the answer is
// sent again once on a fresh one if its method is idempotent; a POST is not.
//
// Errors: InvalidArgument (URL), Unavailable (cannot connect, connection broke), DeadlineExceeded,
// ResourceExhausted (answer over the limit), DataLoss (malformed answer), Unauthenticated (TLS).
// Any HTTP status is an answer, not an error.

#ifndef PODFERRY_CORE_HTTP_HTTP_CLIENT_H_
#define PODFERRY_CORE_HTTP_HTTP_CLIENT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/http/http_message.h"

namespace podferry {

class AsioEventLoop;

struct HttpClientOptions {
  // https: PEM. Without a CA file the system's authorities are trusted.
  std::string ca_file;
  std::string certificate_file;
  std::string key_file;

  // Shorter than a server's idle timeout, so that the server rarely closes under a request.
  absl::Duration idle_timeout = absl::Seconds(60);
  size_t max_idle_per_endpoint = 8;
};

struct HttpCallOptions {
  absl::Duration connect_timeout = absl::Seconds(10);
  // Until the answer is complete; for a stream until its header is complete.
  absl::Duration timeout = absl::Seconds(30);
  uint64_t max_response_bytes = uint64_t{64} << 20;  // not for streams
};

// What a stream brings, in this order: the header once, chunks as they arrive, and the end once (OK
// if the body came whole). A stream that fails early has no header. Callbacks may cancel the call.
struct HttpStreamCallbacks {
  absl::AnyInvocable<void(int status, const HttpHeaders& headers)> on_header;
  absl::AnyInvocable<void(absl::string_view chunk)> on_chunk;
  absl::AnyInvocable<void(absl::Status status)> on_end;
};

// A running call. Dropping the handle lets the call run on; it may outlive the call and the client.
class HttpCall {
 public:
  HttpCall() = default;
  explicit HttpCall(std::function<void()> cancel) : cancel_(std::move(cancel)) {}

  // Closes the call's connection. Nothing is called back afterwards.
  void Cancel() {
    if (cancel_) cancel_();
  }

 private:
  std::function<void()> cancel_;
};

class HttpClient {
 public:
  using ResponseCallback = absl::AnyInvocable<void(absl::StatusOr<HttpResponse>)>;

  // Errors: InvalidArgument (TLS files).
  static absl::StatusOr<std::unique_ptr<HttpClient>> Create(AsioEventLoop& loop,
                                                            HttpClientOptions options);
  virtual ~HttpClient() = default;

  // Calls back exactly once unless cancelled, never inside this call. `url` names the endpoint
  // only; the request has path, query and method.
  virtual HttpCall Send(absl::string_view url, HttpRequest request, HttpCallOptions options,
                        ResponseCallback done) = 0;

  // As Send, with the body handed over as it comes: for logs that are followed.
  virtual HttpCall Stream(absl::string_view url, HttpRequest request, HttpCallOptions options,
                          HttpStreamCallbacks callbacks) = 0;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_HTTP_HTTP_CLIENT_H_
