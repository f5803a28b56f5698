#include "core/http/response_writer.h"

namespace podferry {

ResponseWriter& ResponseWriter::operator=(ResponseWriter&& other) noexcept {
  if (this != &other) {
    Abandon();
    sink_ = std::move(other.sink_);
    open_ = std::exchange(other.open_, false);
  }
  return *this;
}

// Send and Finish close the handle first: the sink may start the connection's next request within
// the call, and that one is no longer ours.
void ResponseWriter::Send(HttpResponse response) {
  const std::shared_ptr<ResponseSink> target = sink();
  open_ = false;
  if (target) target->Send(std::move(response));
}

void ResponseWriter::StartStream(int status, HttpHeaders headers) {
  if (const auto target = sink()) target->StartStream(status, std::move(headers));
}

void ResponseWriter::Write(absl::string_view chunk) {
  if (const auto target = sink()) target->Write(chunk);
}

void ResponseWriter::Finish() {
  const std::shared_ptr<ResponseSink> target = sink();
  open_ = false;
  if (target) target->Finish();
}

void ResponseWriter::Abandon() {
  const std::shared_ptr<ResponseSink> target = sink();
  open_ = false;
  if (target) target->Abandon();
}

size_t ResponseWriter::buffered() const {
  const auto target = sink();
  return target ? target->buffered() : 0;
}

void ResponseWriter::OnDrained(absl::AnyInvocable<void()> callback) {
  if (const auto target = sink()) target->OnDrained(std::move(callback));
}

void ResponseWriter::OnClientGone(absl::AnyInvocable<void()> callback) {
  if (!open_) return;
  if (const auto target = sink()) {
    target->OnClientGone(std::move(callback));
  } else {
    callback();
  }
}

bool ResponseWriter::client_gone() const {
  const auto target = sink();
  return open_ && (target == nullptr || target->client_gone());
}

}  // namespace podferry
