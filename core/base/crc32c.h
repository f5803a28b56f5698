// CRC-32C (Castagnoli), the checksum of journal records. RFC 3720, appendix B.4 has its test
// vectors. Uses SSE 4.2 where the processor has it. Any thread.

#ifndef PODFERRY_CORE_BASE_CRC32C_H_
#define PODFERRY_CORE_BASE_CRC32C_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace podferry {

uint32_t Crc32c(absl::string_view data);

// The checksum of a ++ b, given that of a: Crc32c(ab) == ExtendCrc32c(Crc32c(a), b).
uint32_t ExtendCrc32c(uint32_t crc, absl::string_view data);

namespace crc32c_internal {

// The two implementations, for their tests.
bool HaveSse42();
uint32_t ExtendPortable(uint32_t crc, absl::string_view data);
uint32_t ExtendSse42(uint32_t crc, absl::string_view data);  // Only if HaveSse42().

}  // namespace crc32c_internal
}  // namespace podferry

#endif  // PODFERRY_CORE_BASE_CRC32C_H_
