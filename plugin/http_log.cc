#include "plugin/http_log.h"

#include <memory>
#include <utility>

#include "core/http/json_error.h"

namespace podferry {
namespace {

class HttpLogSink final : public LogSink {
 public:
  HttpLogSink(ResponseWriter writer, bool at_once) : writer_(std::move(writer)) {
    if (at_once) Begin();
  }

  void Write(absl::string_view text) override {
    Begin();
    writer_.Write(text);
  }
  size_t buffered() const override { return writer_.buffered(); }
  void OnDrained(absl::AnyInvocable<void()> callback) override {
    writer_.OnDrained(std::move(callback));
  }
  void Finish() override {
    Begin();
    writer_.Finish();
  }
  // In the middle of a stream the writer is dropped instead: the client sees that it was cut.
  void Fail(const absl::Status& status) override {
    if (!begun_) writer_.Send(JsonError(status));
  }

 private:
  void Begin() {
    if (std::exchange(begun_, true)) return;
    writer_.StartStream(200, {{"Content-Type", "text/plain; charset=utf-8"}});
  }

  ResponseWriter writer_;
  bool begun_ = false;
};

}  // namespace

void AnswerWithLog(EventLoop& loop, LogRelay& relay, absl::string_view uid, LogOptions options,
                   ResponseWriter writer) {
  const absl::Status status = relay.Check(uid, options.container);
  if (!status.ok()) return writer.Send(JsonError(status));
  auto stream = std::make_shared<uint64_t>(0);
  writer.OnClientGone([&loop, &relay, stream] {
    // Not here: it is the stream that holds the writer whose callback this is.
    loop.Post([&relay, stream] { relay.Stop(*stream); });
  });
  const bool follow = options.follow && !options.previous;
  *stream = relay.Start(uid, std::move(options),
                        std::make_unique<HttpLogSink>(std::move(writer), follow));
}

}  // namespace podferry
