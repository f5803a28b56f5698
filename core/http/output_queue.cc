#include "core/http/output_queue.h"

#include <algorithm>

namespace podferry::http_internal {
namespace {

// Up to here a copy is cheaper than a second buffer, and the memory worth keeping.
constexpr size_t kCopyBytes = 16 << 10;
constexpr size_t kKeepBytes = 64 << 10;

void Recycle(std::string* text) {
  // Assigning an empty string would keep the buffer.
  if (text->capacity() > kKeepBytes) std::string().swap(*text);
  text->clear();
}

}  // namespace

void OutputQueue::AppendBody(std::string body) {
  if (body.size() <= kCopyBytes) {
    tail_.append(body);
  } else {
    body_ = std::move(body);
    body_sent_ = 0;
  }
}

Transport::ConstBuffers OutputQueue::Front() {
  if (front_sent_ == front_.size()) {
    Recycle(&front_);
    front_sent_ = 0;
    front_.swap(tail_);
  }
  Transport::ConstBuffers buffers = {
      boost::asio::buffer(front_.data() + front_sent_, front_.size() - front_sent_)};
  if (tail_.empty()) {
    buffers[1] = boost::asio::buffer(body_.data() + body_sent_, body_.size() - body_sent_);
  }
  return buffers;
}

void OutputQueue::Consume(size_t bytes) {
  const size_t from_front = std::min(bytes, front_.size() - front_sent_);
  front_sent_ += from_front;
  body_sent_ += bytes - from_front;
  if (body_sent_ == body_.size()) {
    std::string().swap(body_);
    body_sent_ = 0;
  }
}

}  // namespace podferry::http_internal
