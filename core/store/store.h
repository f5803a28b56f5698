// A durable, ordered map from keys ("job/UID", "body/UID") to values: where a daemon keeps what
// must survive it. Owned by main(); loop thread only. All callbacks come on the loop, never inline.
//
// Implementations: local_store.h (files), redis_store.h (shared by replicas), and a fake in
// testing/. All pass core/store/testing/store_contract_test.h. open_store.h picks one from --state.

#ifndef PODFERRY_CORE_STORE_STORE_H_
#define PODFERRY_CORE_STORE_STORE_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace podferry {

// A change of one key.
struct Mutation {
  enum class Kind { kPut, kDelete };
  Kind kind = Kind::kPut;
  std::string key;    // 1 to 1024 bytes, any.
  std::string value;  // Of a put; up to 512 MiB.

  static Mutation Put(std::string key, std::string value) {
    return {Kind::kPut, std::move(key), std::move(value)};
  }
  // Deleting what is not there is fine.
  static Mutation Delete(std::string key) { return {Kind::kDelete, std::move(key), ""}; }
};

struct StoreHealth {
  // Whether writes can be expected to succeed and nothing acknowledged was lost: readiness.
  bool ready = true;
  std::string reason;  // When not ready, in plain words.
  // What was lost, or cut off after a power loss, when the store was opened.
  std::vector<std::string> damage;
};

class Store {
 public:
  using Entries = std::vector<std::pair<std::string, std::string>>;

  virtual ~Store() = default;  // No callback comes afterwards.

  // Applies the batch, all or nothing, in order; `done` says OK once it is durable. Writes take
  // effect in the order of the calls. With an error none of the batch took effect, unless it says
  // UNKNOWN.
  //   INVALID_ARGUMENT    a key or value out of bounds
  //   RESOURCE_EXHAUSTED  the disk is full
  //   FAILED_PRECONDITION another process has taken the store over; ours must end
  //   UNAVAILABLE         not now, a later attempt may do
  //   UNKNOWN             the connection broke before the answer: it may have taken effect
  //   DATA_LOSS           the device failed; no write will succeed until a restart
  virtual void Write(std::vector<Mutation> batch, absl::AnyInvocable<void(absl::Status)> done) = 0;

  // The value of `key` after all writes that are done; one in flight may or may not show.
  // NOT_FOUND; DATA_LOSS: it was there but cannot be read; UNAVAILABLE.
  virtual void Read(std::string key,
                    absl::AnyInvocable<void(absl::StatusOr<std::string>)> done) = 0;

  // All keys that begin with `prefix`, with their values, in the order of the keys' bytes. Entries
  // that cannot be read are left out and show in health().
  virtual void Scan(std::string prefix, absl::AnyInvocable<void(absl::StatusOr<Entries>)> done) = 0;

  virtual StoreHealth health() const = 0;
};

// INVALID_ARGUMENT if a key or value of the batch is out of bounds; for implementations.
absl::Status CheckBatch(const std::vector<Mutation>& batch);

}  // namespace podferry

#endif  // PODFERRY_CORE_STORE_STORE_H_
