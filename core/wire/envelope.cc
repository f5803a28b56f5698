#include "core/wire/envelope.h"

#include <zstd.h>

#include <cstdint>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/wire/versions.h"
#include "proto/envelope.pb.h"

namespace podferry::wire {
namespace {

constexpr uint32_t kMagic = 0x59524650;
// The first field as it stands in every version: field 1, fixed32, "PFRY".
constexpr absl::string_view kMagicBytes = "\x0dPFRY";

// Scripts shrink about as well at the lowest level, at a fraction of the time.
constexpr int kLevel = 1;

// Contexts are some 100 kB each, and dearer to make than a message is to compress.
struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

ZSTD_CCtx* CompressionContext() {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  return context.get();
}

ZSTD_DCtx* DecompressionContext() {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  return context.get();
}

// The body compressed; empty where that is of no use.
std::string Compressed(const std::string& body) {
  std::string small(body.size() - 1, '\0');  // no room for what would not be smaller
  const size_t size = ZSTD_compressCCtx(CompressionContext(), small.data(), small.size(),
                                        body.data(), body.size(), kLevel);
  if (ZSTD_isError(size) != 0) return "";
  small.resize(size);
  return small;
}

std::string NameOf(int kind) {
  std::string name = v1::MessageKind_Name(static_cast<v1::MessageKind>(kind));
  return name.empty() ? absl::StrCat("message kind ", kind) : name;
}

absl::Status CheckHead(int kind, uint64_t max_body, const v1::Envelope& envelope) {
  if (envelope.version() < kMinVersion || envelope.version() > kVersion) {
    return absl::FailedPreconditionError(
        absl::StrCat("a message in wire version ", envelope.version(), ", from a peer that speaks ",
                     envelope.speaks_from(), " to ", envelope.speaks_to(), "; this build speaks ",
                     kMinVersion, " to ", kVersion));
  }
  if (envelope.kind() != kind) {
    return absl::InvalidArgumentError(
        absl::StrCat("want ", NameOf(kind), ", got ", NameOf(envelope.kind())));
  }
  if (envelope.body_size() > max_body) {
    return absl::InvalidArgumentError(
        absl::StrCat("the body claims ", envelope.body_size(), " bytes, over ", max_body));
  }
  return absl::OkStatus();
}

absl::StatusOr<OpenedBody> Decompress(const std::string& body, size_t size) {
  // Not initialised: memory is touched only as far as bytes really come out.
  std::unique_ptr<char[]> buffer(new char[size + 1]);
  const size_t got =
      ZSTD_decompressDCtx(DecompressionContext(), buffer.get(), size, body.data(), body.size());
  if (ZSTD_isError(got) != 0 || got != size) {
    return absl::InvalidArgumentError(
        absl::StrCat("the body does not decompress to its ", size, " bytes",
                     ZSTD_isError(got) != 0 ? absl::StrCat(": ", ZSTD_getErrorName(got)) : ""));
  }
  return OpenedBody(std::move(buffer), size);
}

}  // namespace

std::string SealEnvelope(int kind, std::string body) {
  v1::Envelope envelope;
  envelope.set_magic(kMagic);
  envelope.set_version(kVersion);
  envelope.set_speaks_from(kMinVersion);
  envelope.set_speaks_to(kVersion);
  envelope.set_kind(static_cast<v1::MessageKind>(kind));
  envelope.set_body_size(body.size());
  std::string small = body.size() < kCompressFrom ? "" : Compressed(body);
  envelope.set_compression(small.empty() ? v1::COMPRESSION_NONE : v1::COMPRESSION_ZSTD);
  envelope.set_body(small.empty() ? std::move(body) : std::move(small));
  return envelope.SerializeAsString();
}

absl::StatusOr<OpenedBody> OpenEnvelope(int kind, uint64_t max_body, absl::string_view bytes) {
  v1::Envelope envelope;
  if (!absl::StartsWith(bytes, kMagicBytes) ||
      bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()) ||
      !envelope.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
      envelope.magic() != kMagic) {
    return absl::InvalidArgumentError(
        absl::StrCat(bytes.size(), " bytes that are no podferry envelope"));
  }
  PODFERRY_RETURN_IF_ERROR(CheckHead(kind, max_body, envelope));
  switch (envelope.compression()) {
    case v1::COMPRESSION_NONE:
      if (envelope.body().size() != envelope.body_size()) {
        return absl::InvalidArgumentError(absl::StrCat(
            "a body of ", envelope.body().size(), " bytes that claims ", envelope.body_size()));
      }
      return OpenedBody(std::move(*envelope.mutable_body()));
    case v1::COMPRESSION_ZSTD:
      return Decompress(envelope.body(), envelope.body_size());
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("unknown compression ", static_cast<int>(envelope.compression())));
  }
}

}  // namespace podferry::wire
