#ifndef PODFERRY_E2E_HARNESS_USER_H_
#define PODFERRY_E2E_HARNESS_USER_H_

#include <sys/types.h>

#include <optional>
#include <string>

namespace podferry::e2e {

struct User {
  uid_t uid = 0;
  gid_t gid = 0;
};

// The user that PODFERRY_E2E_USER names, to run the submitter as: the product is meant for ordinary
// users, tests often run as root. Nothing where the variable is unset, or where this process is an
// ordinary user's already.
std::optional<User> TestUser();

}  // namespace podferry::e2e

#endif  // PODFERRY_E2E_HARNESS_USER_H_
