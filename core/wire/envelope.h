// The outside of a message: magic, versions, kind, compression, size (proto/envelope.proto). Knows
// nothing of what is inside. Any thread; errors are those of Decode in codec.h.

#ifndef PODFERRY_CORE_WIRE_ENVELOPE_H_
#define PODFERRY_CORE_WIRE_ENVELOPE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace podferry::wire {

// Bodies from this size on are compressed when that makes them smaller.
inline constexpr size_t kCompressFrom = 1024;

// A body, in a buffer of its own where it was compressed.
class OpenedBody {
 public:
  explicit OpenedBody(std::string body) : plain_(std::move(body)) {}
  OpenedBody(std::unique_ptr<char[]> buffer, size_t size)
      : buffer_(std::move(buffer)), size_(size) {}

  absl::string_view view() const {
    return buffer_ != nullptr ? absl::string_view(buffer_.get(), size_) : plain_;
  }

 private:
  std::string plain_;
  std::unique_ptr<char[]> buffer_;
  size_t size_ = 0;
};

// `kind` is a number of podferry.v1.MessageKind.
std::string SealEnvelope(int kind, std::string body);

// The body, when the envelope is whole, of a version we speak, of this kind and at most `max_body`
// bytes.
absl::StatusOr<OpenedBody> OpenEnvelope(int kind, uint64_t max_body, absl::string_view bytes);

}  // namespace podferry::wire

#endif  // PODFERRY_CORE_WIRE_ENVELOPE_H_
