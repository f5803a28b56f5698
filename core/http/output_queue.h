// Bytes on their way to a stream, in order, with a large body passed through uncopied. Internal to
// core/http.

#ifndef PODFERRY_CORE_HTTP_OUTPUT_QUEUE_H_
#define PODFERRY_CORE_HTTP_OUTPUT_QUEUE_H_

#include <string>
#include <utility>

#include "core/http/transport.h"

namespace podferry::http_internal {

class OutputQueue {
 public:
  // Append here; what Front gave out stays where it is.
  std::string* tail() { return &tail_; }

  // Queues `body` behind everything else. Nothing is appended before it has left.
  void AppendBody(std::string body);

  size_t size() const {
    return tail_.size() + front_.size() - front_sent_ + body_.size() - body_sent_;
  }
  bool empty() const { return size() == 0; }

  // The next bytes to write; valid until Consume.
  Transport::ConstBuffers Front();
  void Consume(size_t bytes);

 private:
  std::string front_;
  size_t front_sent_ = 0;
  std::string tail_;
  std::string body_;
  size_t body_sent_ = 0;
};

}  // namespace podferry::http_internal

#endif  // PODFERRY_CORE_HTTP_OUTPUT_QUEUE_H_
