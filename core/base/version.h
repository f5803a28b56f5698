// The version of podferry: what --version prints and announcements say.

#ifndef PODFERRY_CORE_BASE_VERSION_H_
#define PODFERRY_CORE_BASE_VERSION_H_

namespace podferry {

inline constexpr char kPodferryVersion[] = "0.1.0";

}  // namespace podferry

#endif  // PODFERRY_CORE_BASE_VERSION_H_
