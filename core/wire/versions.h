// The wire versions this build speaks. A message outside of the range is refused with
// FailedPrecondition, which names both ranges, so that an operator sees which side to update.
// proto/WIRE.md says when a version changes.

#ifndef PODFERRY_CORE_WIRE_VERSIONS_H_
#define PODFERRY_CORE_WIRE_VERSIONS_H_

#include <cstdint>

namespace podferry::wire {

inline constexpr uint32_t kVersion = 1;
inline constexpr uint32_t kMinVersion = 1;

}  // namespace podferry::wire

#endif  // PODFERRY_CORE_WIRE_VERSIONS_H_
