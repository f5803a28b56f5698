#ifndef PODFERRY_CORE_WIRE_CODEC_H_
#define PODFERRY_CORE_WIRE_CODEC_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/wire/messages.h"
#include "core/wire/versions.h"

namespace podferry::wire {

// Largest body, in bytes, that is believed after decompression: of an Offer, a JobBundle and a
// BundleReply, and of everything else. Lists of small things cost many times their bytes in memory.
inline constexpr uint64_t kMaxBody = 80 * 1024 * 1024;
inline constexpr uint64_t kMaxSmallBody = 16 * 1024 * 1024;

// Struct -> envelope bytes; bodies over 1 KiB are compressed with zstd when that makes them
// smaller. Text that is not UTF-8 arrives with U+FFFD in its place; scripts, logs and bundles are
// bytes and arrive as they are, times to the nanosecond. The same struct gives the same bytes.
// Instantiated for every struct of messages.h, and for JobDescription, JobBundle and JobStatus, for
// journals. Any thread.
template <typename Message>
std::string Encode(const Message& message);

// Envelope bytes -> struct. InvalidArgument for bytes that are no envelope, hold another kind of
// message, claim more than the largest body, or break a rule of the struct (a key part, a digest, a
// round of 0), with the paths of the fields. Never crashes on any bytes. Whether a script has its
// digest is for who runs it to check.
template <typename Message>
absl::StatusOr<Message> Decode(absl::string_view bytes);

}  // namespace podferry::wire

#endif  // PODFERRY_CORE_WIRE_CODEC_H_
