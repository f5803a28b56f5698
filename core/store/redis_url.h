// Where a Redis server is: redis+unix:/path/of.sock or redis://[[user]:password@]host[:port], each
// with an optional ?db=N. Pure; any thread.

#ifndef PODFERRY_CORE_STORE_REDIS_URL_H_
#define PODFERRY_CORE_STORE_REDIS_URL_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace podferry {

struct RedisUrl {
  std::string unix_path;  // Empty: TCP.
  std::string host;
  int port = 6379;
  std::string user;      // Empty: the default user.
  std::string password;  // Empty: none is sent.
  int db = 0;

  // For messages: without the password.
  std::string ToString() const;
};

bool IsRedisUrl(absl::string_view text);

// INVALID_ARGUMENT says what is wrong, without showing what may be a password.
absl::StatusOr<RedisUrl> ParseRedisUrl(absl::string_view text);

}  // namespace podferry

#endif  // PODFERRY_CORE_STORE_REDIS_URL_H_
