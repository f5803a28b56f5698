// Gives a handler a ResponseWriter and records what it does with it: handlers are tested without
// sockets.
//
//   ResponseRecorder recorder;
//   handler(request, recorder.writer());
//   ASSERT_TRUE(recorder.complete());
//   EXPECT_EQ(recorder.status(), 200);

#ifndef PODFERRY_CORE_HTTP_TESTING_RESPONSE_RECORDER_H_
#define PODFERRY_CORE_HTTP_TESTING_RESPONSE_RECORDER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "core/http/http_message.h"
#include "core/http/response_writer.h"

namespace podferry {

class ResponseRecorder {
 public:
  ResponseRecorder() : sink_(std::make_shared<Sink>()) {}

  // One per recorder.
  ResponseWriter writer() { return ResponseWriter(std::weak_ptr<ResponseSink>(sink_)); }

  // Send or Finish was called.
  bool complete() const { return sink_->complete; }
  // StartStream was called.
  bool streaming() const { return sink_->streaming; }
  // The writer was dropped before it was complete.
  bool abandoned() const { return sink_->abandoned; }

  int status() const { return sink_->response.status; }  // 0 until there is one
  const HttpHeaders& headers() const { return sink_->response.headers; }
  // Of a stream: all chunks so far.
  const std::string& body() const { return sink_->response.body; }
  const std::vector<std::string>& chunks() const { return sink_->chunks; }
  const HttpResponse& response() const { return sink_->response; }

  // From now on chunks count as buffered, as if the client did not read...
  void BlockClient() { sink_->blocked = true; }
  // ...until here, which calls OnDrained's callback.
  void UnblockClient();

  // Calls OnClientGone's callback.
  void ClientGoes();

 private:
  struct Sink final : ResponseSink {
    Sink() { response.status = 0; }
    void Send(HttpResponse answer) override;
    void StartStream(int status, HttpHeaders headers) override;
    void Write(absl::string_view chunk) override;
    void Finish() override { complete = true; }
    void Abandon() override { abandoned = true; }
    size_t buffered() const override { return blocked ? unread : 0; }
    bool client_gone() const override { return gone; }
    void OnDrained(absl::AnyInvocable<void()> callback) override;
    void OnClientGone(absl::AnyInvocable<void()> callback) override;

    HttpResponse response;
    std::vector<std::string> chunks;
    bool complete = false;
    bool streaming = false;
    bool abandoned = false;
    bool blocked = false;
    bool gone = false;
    size_t unread = 0;
    absl::AnyInvocable<void()> on_drained;
    absl::AnyInvocable<void()> on_client_gone;
  };

  std::shared_ptr<Sink> sink_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_HTTP_TESTING_RESPONSE_RECORDER_H_
