// Gives back the disk space of values that were replaced or deleted: copies what is live in the
// oldest segment to the end of the log, then drops the segment. Belongs to LocalStore; loop thread
// only.
//
// Always the oldest: a deletion in it then has nothing older left to delete and needs no copy, and
// no deletion is ever dropped before what it deletes.

#ifndef PODFERRY_CORE_STORE_COMPACTOR_H_
#define PODFERRY_CORE_STORE_COMPACTOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "core/journal/journal.h"
#include "core/store/log_index.h"

namespace podferry {

class Compactor {
 public:
  // `is_in_flight` says whether a write of a key is on its way to the log: its old value is not
  // copied then, because the copy would come behind the new one and win.
  Compactor(Journal& journal, LogIndex& index, uint64_t min_dead_bytes,
            absl::AnyInvocable<bool(const std::string&)> is_in_flight);

  // Begins or goes on, if it is worthwhile and nothing is under way. To be called after writes.
  void Step();

  uint64_t dropped_segments() const { return dropped_segments_; }

  // Why nothing is compacted any more: a live record can no longer be read. Otherwise OK.
  const absl::Status& status() const { return status_; }

 private:
  bool Begin();
  void CopySome();
  void Copied(const std::vector<std::string>& keys,
              const absl::StatusOr<std::vector<JournalPosition>>& positions);
  void Drop();
  void GiveUp(const absl::Status& status);

  Journal& journal_;
  LogIndex& index_;
  const uint64_t min_dead_bytes_;
  absl::AnyInvocable<bool(const std::string&)> is_in_flight_;

  uint64_t victim_ = 0;            // The segment that is being emptied; 0: none.
  std::vector<std::string> keys_;  // That may still have their value in it.
  bool busy_ = false;              // The journal has an answer for us under way.
  int steps_to_skip_ = 0;
  uint64_t dropped_segments_ = 0;
  absl::Status status_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_STORE_COMPACTOR_H_
