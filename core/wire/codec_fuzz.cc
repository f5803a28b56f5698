// libFuzzer's entry: no bytes may crash Decode. To run it:
//
//   bazel run --config=fuzz //core/wire:codec_fuzz -- -max_total_time=60 FOLDER

#include <cstddef>
#include <cstdint>

#include "core/wire/testing/decode_all.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  podferry::wire::DecodeAll(absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
