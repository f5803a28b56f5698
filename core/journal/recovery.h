// What Journal::Open() does with the files it finds: replays the segments in order, cuts a torn
// tail, repairs damage and removes body files that no record names. Blocks.

#ifndef PODFERRY_CORE_JOURNAL_RECOVERY_H_
#define PODFERRY_CORE_JOURNAL_RECOVERY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/journal/format.h"
#include "core/journal/journal.h"
#include "core/os/file_system.h"

namespace podferry::journal_internal {

struct SegmentState {
  SegmentName name;
  uint64_t bytes = 0;
  std::vector<uint64_t> body_files;  // That its records name.
};

struct RecoveredJournal {
  std::vector<SegmentState> segments;  // Oldest first. Everything in them is durable.
  uint64_t last_sequence = 0;
  std::vector<JournalDamage> damage;
};

absl::StatusOr<RecoveredJournal> RecoverJournal(const std::string& folder, FileSystem& file_system,
                                                Journal::Replay replay);

}  // namespace podferry::journal_internal

#endif  // PODFERRY_CORE_JOURNAL_RECOVERY_H_
