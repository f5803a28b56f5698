#include "core/http/testing/in_process_client.h"

#include <memory>
#include <utility>

namespace podferry {
namespace {

// Carries what a handler writes to a stream's callbacks. It holds itself until the handler is done
// with it, as its ResponseWriter refers to it weakly.
class StreamSink final : public ResponseSink, public std::enable_shared_from_this<StreamSink> {
 public:
  StreamSink(EventLoop& loop, HttpStreamCallbacks callbacks)
      : loop_(loop), callbacks_(std::move(callbacks)) {}

  void Open() { self_ = shared_from_this(); }

  void Send(HttpResponse response) override {
    StartStream(response.status, std::move(response.headers));
    Write(response.body);
    Finish();
  }

  void StartStream(int status, HttpHeaders headers) override {
    Post([status, headers = std::move(headers)](StreamSink& it) {
      if (it.callbacks_.on_header) it.callbacks_.on_header(status, headers);
    });
  }

  void Write(absl::string_view chunk) override {
    if (chunk.empty()) return;
    Post([data = std::string(chunk)](StreamSink& it) {
      if (it.callbacks_.on_chunk) it.callbacks_.on_chunk(data);
    });
  }

  void Finish() override { End(absl::OkStatus()); }
  void Abandon() override { End(absl::UnavailableError("the connection ended within the answer")); }

  size_t buffered() const override { return 0; }
  bool client_gone() const override { return cancelled_; }
  void OnDrained(absl::AnyInvocable<void()> callback) override { loop_.Post(std::move(callback)); }
  void OnClientGone(absl::AnyInvocable<void()> callback) override {
    on_client_gone_ = std::move(callback);
    if (cancelled_) TellGone();
  }

  void Cancel() {
    if (std::exchange(cancelled_, true)) return;
    TellGone();
  }

 private:
  template <class F>
  void Post(F what) {
    loop_.Post([self = shared_from_this(), what = std::move(what)] {
      if (!self->cancelled_) what(*self);
    });
  }

  void End(absl::Status status) {
    Post([status = std::move(status)](StreamSink& it) {
      if (it.callbacks_.on_end) it.callbacks_.on_end(status);
    });
    on_client_gone_ = nullptr;
    self_ = nullptr;
  }

  void TellGone() {
    loop_.Post([self = shared_from_this()] {
      if (auto callback = std::exchange(self->on_client_gone_, nullptr)) callback();
    });
  }

  EventLoop& loop_;
  HttpStreamCallbacks callbacks_;
  absl::AnyInvocable<void()> on_client_gone_;
  bool cancelled_ = false;
  std::shared_ptr<StreamSink> self_;
};

// Gathers a stream into one answer.
struct Whole {
  HttpResponse response;
  HttpClient::ResponseCallback done;
};

}  // namespace

InProcessClient::InProcessClient(EventLoop& loop, HttpHandler handler)
    : loop_(loop), handler_(std::move(handler)) {}

HttpCall InProcessClient::Send(absl::string_view url, HttpRequest request, HttpCallOptions options,
                               ResponseCallback done) {
  auto whole = std::make_shared<Whole>();
  whole->done = std::move(done);
  HttpStreamCallbacks callbacks;
  callbacks.on_header = [whole](int status, const HttpHeaders& headers) {
    whole->response.status = status;
    whole->response.headers = headers;
  };
  callbacks.on_chunk = [whole](absl::string_view chunk) {
    whole->response.body.append(chunk.data(), chunk.size());
  };
  callbacks.on_end = [whole](absl::Status status) {
    if (status.ok()) {
      whole->done(std::move(whole->response));
    } else {
      whole->done(std::move(status));
    }
  };
  return Stream(url, std::move(request), options, std::move(callbacks));
}

HttpCall InProcessClient::Stream(absl::string_view url, HttpRequest request, HttpCallOptions,
                                 HttpStreamCallbacks callbacks) {
  seen_.push_back({std::string(url), request});
  if (!failure_.ok()) {
    loop_.Post([status = failure_, end = std::move(callbacks.on_end)]() mutable {
      if (end) end(status);
    });
    return HttpCall();
  }
  auto sink = std::make_shared<StreamSink>(loop_, std::move(callbacks));
  sink->Open();
  loop_.Post([this, sink, request = std::move(request)]() mutable {
    handler_(std::move(request), ResponseWriter(std::weak_ptr<ResponseSink>(sink)));
  });
  return HttpCall([weak = std::weak_ptr<StreamSink>(sink)] {
    if (const auto running = weak.lock()) running->Cancel();
  });
}

}  // namespace podferry
