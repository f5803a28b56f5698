#include "e2e/harness/user.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

#include "glog/logging.h"

namespace podferry::e2e {

std::optional<User> TestUser() {
  const char* name = std::getenv("PODFERRY_E2E_USER");
  if (name == nullptr || geteuid() != 0) return std::nullopt;
  const passwd* entry = getpwnam(name);
  CHECK(entry != nullptr) << "PODFERRY_E2E_USER: no user " << name;
  return User{entry->pw_uid, entry->pw_gid};
}

}  // namespace podferry::e2e
