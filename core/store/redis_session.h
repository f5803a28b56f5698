// What RedisStore does on its thread: holds an instance in a Redis server, writes, reads and scans
// it, and connects anew when the connection breaks. Blocks; one thread.
//
// The instance belongs to whoever took it last: the key "podferry:{INSTANCE}:owner" holds
// "EPOCH:OWNER", where OWNER is made up anew by each session. Every transaction is guarded by a
// WATCH of that key from before our look at it, so that no write of a session gets in after another
// has taken over. Each connection raises the epoch, too: a transaction that is still on its way
// over an old connection then fails instead of overtaking newer ones.

#ifndef PODFERRY_CORE_STORE_REDIS_SESSION_H_
#define PODFERRY_CORE_STORE_REDIS_SESSION_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/store/redis_client.h"
#include "core/store/redis_store.h"
#include "core/store/store.h"

namespace podferry {

class RedisSession {
 public:
  RedisSession(const RedisStoreOptions& options, RedisUrl url);

  // Takes the instance over.
  absl::Status Open();

  // One attempt each. After UNAVAILABLE the next attempt connects anew; `sent` then says whether
  // the write may have been carried out. FAILED_PRECONDITION: another session has taken over, for
  // good.
  absl::Status Write(const std::vector<const Mutation*>& mutations, bool& sent);
  absl::StatusOr<std::string> Read(const std::string& key);
  absl::StatusOr<Store::Entries> Scan(const std::string& prefix);
  absl::Status Ping();

 private:
  absl::Status Connect();
  absl::Status TakeOwnership(bool first_time);
  absl::Status CheckOwner(const RedisReply& owner);
  absl::Status CheckExec(const std::vector<RedisReply>& replies, size_t exec);
  absl::StatusOr<RedisReply> Run(const RedisClient::Arguments& command);
  absl::StatusOr<std::vector<RedisReply>> Run(const std::vector<RedisClient::Arguments>& commands);

  const RedisStoreOptions options_;
  const RedisUrl url_;
  const std::string data_key_;
  const std::string owner_key_;
  const std::string owner_;
  std::unique_ptr<RedisClient> client_;  // Null: not connected. If there, owner_key_ is watched.
  bool is_open_ = false;
  absl::Status lost_;  // Not OK once somebody else has taken over: there is no way back.
  std::string value_;  // Of owner_key_ while it is ours.
};

}  // namespace podferry

#endif  // PODFERRY_CORE_STORE_REDIS_SESSION_H_
