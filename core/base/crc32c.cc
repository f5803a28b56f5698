#include "core/base/crc32c.h"

#include <boost/crc.hpp>
#include <cstddef>
#include <cstring>

#ifdef __x86_64__
#include <nmmintrin.h>
#endif

namespace podferry {
namespace crc32c_internal {
namespace {

using PortableCrc = boost::crc_optimal<32, 0x1EDC6F41, 0, 0, true, true>;

}  // namespace

uint32_t ExtendPortable(uint32_t crc, absl::string_view data) {
  // Boost keeps an unfinished checksum bit-reversed; going through its public state means giving it
  // the reflection of what ours is.
  uint32_t state = ~crc;
  uint32_t reversed = 0;
  for (int i = 0; i < 32; ++i) reversed |= ((state >> i) & 1u) << (31 - i);
  PortableCrc portable(reversed);
  portable.process_bytes(data.data(), data.size());
  return ~portable.checksum();
}

#ifdef __x86_64__

bool HaveSse42() { return __builtin_cpu_supports("sse4.2") != 0; }

__attribute__((target("sse4.2"))) uint32_t ExtendSse42(uint32_t crc, absl::string_view data) {
  const char* position = data.data();
  size_t left = data.size();
  uint64_t state = ~crc;
  for (; left >= sizeof(uint64_t); left -= sizeof(uint64_t), position += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, position, sizeof(word));
    state = _mm_crc32_u64(state, word);
  }
  uint32_t narrow = static_cast<uint32_t>(state);
  for (; left > 0; --left, ++position) {
    narrow = _mm_crc32_u8(narrow, static_cast<unsigned char>(*position));
  }
  return ~narrow;
}

#else

bool HaveSse42() { return false; }

uint32_t ExtendSse42(uint32_t crc, absl::string_view data) { return ExtendPortable(crc, data); }

#endif

}  // namespace crc32c_internal

uint32_t ExtendCrc32c(uint32_t crc, absl::string_view data) {
  static const bool have_sse42 = crc32c_internal::HaveSse42();
  return have_sse42 ? crc32c_internal::ExtendSse42(crc, data)
                    : crc32c_internal::ExtendPortable(crc, data);
}

uint32_t Crc32c(absl::string_view data) { return ExtendCrc32c(0, data); }

}  // namespace podferry
