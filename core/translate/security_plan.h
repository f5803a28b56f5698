// Who a container runs as and with which rights, for the runtimes that can. A value.

#ifndef PODFERRY_CORE_TRANSLATE_SECURITY_PLAN_H_
#define PODFERRY_CORE_TRANSLATE_SECURITY_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace podferry {

struct PlannedSecurity {
  std::optional<int64_t>
      user;  // absent: the runtime's own choice (of the image, or the pool's user)
  std::optional<int64_t> group;  // absent: that of the user
  std::vector<int64_t> groups;   // further ones
  bool must_not_be_root = false;
  bool privileged = false;
  bool no_new_privileges = false;
  std::vector<std::string> added_capabilities;    // without "CAP_"; "ALL" is all
  std::vector<std::string> dropped_capabilities;  // the same
};

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_SECURITY_PLAN_H_
