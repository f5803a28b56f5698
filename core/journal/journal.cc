#include "core/journal/journal.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/journal/recovery.h"
#include "core/journal/writer.h"
#include "glog/logging.h"

namespace podferry {
namespace {

// Together with the largest batch, offsets stay below 4 GiB.
constexpr uint64_t kMaxSegmentBytes = uint64_t{2} << 30;

}  // namespace

std::string JournalDamage::ToString() const {
  return absl::StrCat(file, " at ", offset, ": ", bytes, " bytes ",
                      kind == Kind::kTornTail ? "of a torn write cut off" : "lost", " (", reason,
                      ")");
}

absl::StatusOr<std::unique_ptr<Journal>> Journal::Open(const JournalOptions& options,
                                                       FileSystem& file_system, EventLoop& loop,
                                                       Replay replay) {
  PODFERRY_RETURN_IF_ERROR(file_system.MakeDirs(options.folder, 0700));
  PODFERRY_ASSIGN_OR_RETURN(journal_internal::RecoveredJournal recovered,
                            journal_internal::RecoverJournal(options.folder, file_system, replay));
  for (const JournalDamage& damage : recovered.damage) {
    LOG(ERROR) << "journal " << options.folder << ": " << damage.ToString();
  }
  JournalOptions bounded = options;
  bounded.segment_bytes = std::min(bounded.segment_bytes, kMaxSegmentBytes);
  auto writer = std::make_unique<Writer>(bounded, file_system, loop, std::move(recovered));
  PODFERRY_RETURN_IF_ERROR(writer->Start());
  return std::unique_ptr<Journal>(new Journal(std::move(writer)));
}

Journal::Journal(std::unique_ptr<Writer> writer) : writer_(std::move(writer)) {}

Journal::~Journal() = default;

void Journal::Append(std::vector<JournalEntry> entries, AppendDone done) {
  writer_->Append(std::move(entries), std::move(done));
}

void Journal::Copy(std::vector<JournalPosition> positions, AppendDone done) {
  writer_->Copy(std::move(positions), std::move(done));
}

absl::StatusOr<JournalEntry> Journal::Read(const JournalPosition& position) const {
  return writer_->files()->Read(position);
}

std::shared_ptr<const JournalReader> Journal::reader() const { return writer_->files(); }

void Journal::RemoveBodyFile(const JournalPosition& position) {
  if (position.body_file != 0) writer_->RemoveBodyFile(position.body_file);
}

std::vector<Journal::Segment> Journal::segments() const { return writer_->files()->List(); }

void Journal::DropSegmentsBefore(uint64_t id, absl::AnyInvocable<void(absl::Status)> done) {
  writer_->DropSegmentsBefore(id, std::move(done));
}

absl::Status Journal::status() const { return writer_->status(); }

bool Journal::disk_full() const { return writer_->disk_full(); }

const std::vector<JournalDamage>& Journal::damage() const { return writer_->damage(); }

JournalStats Journal::stats() const { return writer_->stats(); }

}  // namespace podferry
