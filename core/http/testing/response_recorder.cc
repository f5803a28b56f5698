#include "core/http/testing/response_recorder.h"

#include <utility>

namespace podferry {

void ResponseRecorder::UnblockClient() {
  sink_->blocked = false;
  sink_->unread = 0;
  if (auto callback = std::exchange(sink_->on_drained, nullptr)) callback();
}

void ResponseRecorder::ClientGoes() {
  sink_->gone = true;
  if (auto callback = std::exchange(sink_->on_client_gone, nullptr)) callback();
}

void ResponseRecorder::Sink::Send(HttpResponse answer) {
  response = std::move(answer);
  complete = true;
}

void ResponseRecorder::Sink::StartStream(int status, HttpHeaders headers) {
  response = {status, std::move(headers), ""};
  streaming = true;
}

void ResponseRecorder::Sink::Write(absl::string_view chunk) {
  chunks.emplace_back(chunk);
  response.body.append(chunk.data(), chunk.size());
  if (blocked) unread += chunk.size();
}

// As a connection does: never within the handler's own call.
void ResponseRecorder::Sink::OnDrained(absl::AnyInvocable<void()> callback) {
  on_drained = std::move(callback);
}

void ResponseRecorder::Sink::OnClientGone(absl::AnyInvocable<void()> callback) {
  on_client_gone = std::move(callback);
}

}  // namespace podferry
