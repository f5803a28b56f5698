#include "core/http/http_client.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/http/client_call.h"
//
#include <boost/asio/post.hpp>

#include "absl/status/status.h"
#include "core/base/status_macros.h"
#include "core/os/asio_event_loop.h"

namespace podferry {
namespace {

using http_internal::ClientCall;
using http_internal::ClientShared;
using http_internal::HttpEndpoint;

// A line break here would let its author write headers, or a second request.
absl::Status CheckTarget(const HttpRequest& request) {
  const auto unsafe = [](char c) { return c <= ' ' || c == '\x7f'; };
  const auto bad = [&](const std::string& text) {
    return std::any_of(text.begin(), text.end(), unsafe);
  };
  if (request.method.empty() || bad(request.method)) {
    return absl::InvalidArgumentError("the request's method is malformed");
  }
  if (request.path.empty() || request.path[0] != '/' || bad(request.path) || bad(request.query)) {
    return absl::InvalidArgumentError("the request's path or query is not percent-encoded");
  }
  return absl::OkStatus();
}

class HttpClientImpl final : public HttpClient {
 public:
  explicit HttpClientImpl(std::shared_ptr<ClientShared> shared) : shared_(std::move(shared)) {}

  ~HttpClientImpl() override {
    const std::vector<std::shared_ptr<ClientCall>> calls(shared_->calls.begin(),
                                                         shared_->calls.end());
    for (const auto& call : calls) call->Cancel();
  }

  HttpCall Send(absl::string_view url, HttpRequest request, HttpCallOptions options,
                ResponseCallback done) override {
    return Begin(url, std::move(request), options, std::move(done), {});
  }

  HttpCall Stream(absl::string_view url, HttpRequest request, HttpCallOptions options,
                  HttpStreamCallbacks callbacks) override {
    return Begin(url, std::move(request), options, nullptr, std::move(callbacks));
  }

 private:
  absl::StatusOr<HttpEndpoint> Check(absl::string_view url, const HttpRequest& request) {
    PODFERRY_RETURN_IF_ERROR(CheckTarget(request));
    PODFERRY_ASSIGN_OR_RETURN(HttpEndpoint endpoint, http_internal::ParseHttpEndpoint(url));
    if (endpoint.kind == HttpEndpoint::Kind::kHttps && !shared_->tls) {
      PODFERRY_ASSIGN_OR_RETURN(shared_->tls, http_internal::MakeClientTlsContext("", "", ""));
    }
    return endpoint;
  }

  // Everything happens later: a callback within Send would surprise its caller.
  HttpCall Begin(absl::string_view url, HttpRequest request, const HttpCallOptions& options,
                 ResponseCallback whole, HttpStreamCallbacks stream) {
    absl::StatusOr<HttpEndpoint> endpoint = Check(url, request);
    auto call =
        std::make_shared<ClientCall>(shared_, endpoint.value_or(HttpEndpoint()), std::move(request),
                                     options, std::move(whole), std::move(stream));
    shared_->calls.insert(call);
    boost::asio::post(shared_->context, [call, status = endpoint.status()] {
      if (status.ok()) {
        call->Start();
      } else {
        call->Fail(status);
      }
    });
    return HttpCall([weak = std::weak_ptr<ClientCall>(call)] {
      if (const auto running = weak.lock()) running->Cancel();
    });
  }

  const std::shared_ptr<ClientShared> shared_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<HttpClient>> HttpClient::Create(AsioEventLoop& loop,
                                                               HttpClientOptions options) {
  auto shared = std::make_shared<ClientShared>(loop.context(), std::move(options));
  const HttpClientOptions& given = shared->options;
  if (!given.ca_file.empty() || !given.certificate_file.empty() || !given.key_file.empty()) {
    PODFERRY_ASSIGN_OR_RETURN(
        shared->tls,
        http_internal::MakeClientTlsContext(given.ca_file, given.certificate_file, given.key_file));
  }
  return std::make_unique<HttpClientImpl>(std::move(shared));
}

}  // namespace podferry
