// A connection to a Redis server: hiredis' blocking calls with values instead of pointers. One
// thread.

#ifndef PODFERRY_CORE_STORE_REDIS_CLIENT_H_
#define PODFERRY_CORE_STORE_REDIS_CLIENT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/store/redis_url.h"

struct redisContext;

namespace podferry {

struct RedisReply {
  enum class Kind { kNil, kText, kInteger, kArray, kError };
  Kind kind = Kind::kNil;
  std::string text;  // kText and kError ("OOM command not allowed...").
  int64_t integer = 0;
  std::vector<RedisReply> elements;

  // An error reply as a status: RESOURCE_EXHAUSTED (out of memory), PERMISSION_DENIED (credentials,
  // access lists), UNAVAILABLE (loading, a read-only replica, cannot persist), else INTERNAL.
  absl::Status status() const;
};

class RedisClient {
 public:
  using Arguments = std::vector<std::string>;

  // Connects and logs in. UNAVAILABLE: no server there; otherwise the errors of
  // RedisReply::status().
  static absl::StatusOr<std::unique_ptr<RedisClient>> Connect(const RedisUrl& url,
                                                              absl::Duration timeout);
  ~RedisClient();

  // Sends all commands at once and waits for their replies, each up to the timeout. UNAVAILABLE:
  // the connection is broken, for good; any of the commands may have been carried out.
  absl::StatusOr<std::vector<RedisReply>> Run(const std::vector<Arguments>& commands);

  // One command; an error reply is an error.
  absl::StatusOr<RedisReply> Run(const Arguments& command);

 private:
  explicit RedisClient(redisContext* context) : context_(context) {}
  absl::Status LogIn(const RedisUrl& url);
  absl::Status Broken() const;

  redisContext* const context_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_STORE_REDIS_CLIENT_H_
