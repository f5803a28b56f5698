#include "core/store/compactor.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace podferry {
namespace {

// One copy: what is written behind it waits for some milliseconds.
constexpr uint64_t kCopyBytes = 512 << 10;

// After a failure (a full disk), so many writes pass before the next attempt.
constexpr int kStepsAfterFailure = 1000;

}  // namespace

Compactor::Compactor(Journal& journal, LogIndex& index, uint64_t min_dead_bytes,
                     absl::AnyInvocable<bool(const std::string&)> is_in_flight)
    : journal_(journal),
      index_(index),
      min_dead_bytes_(min_dead_bytes),
      is_in_flight_(std::move(is_in_flight)) {}

void Compactor::Step() {
  if (busy_ || !status_.ok()) return;
  if (steps_to_skip_ > 0) {
    --steps_to_skip_;
    return;
  }
  if (victim_ != 0 || Begin()) CopySome();
}

bool Compactor::Begin() {
  const std::vector<Journal::Segment> segments = journal_.segments();
  if (segments.size() < 2) return false;
  uint64_t total = 0;
  for (const Journal::Segment& segment : segments) total += segment.bytes;
  const uint64_t live = index_.live_bytes(), dead = total - std::min(total, live);
  if (dead < min_dead_bytes_ || dead < live) return false;
  victim_ = segments.front().id;
  keys_ = index_.KeysIn(victim_);
  return true;
}

void Compactor::CopySome() {
  std::vector<std::string> copied, deferred;
  std::vector<JournalPosition> positions;
  for (uint64_t bytes = 0; !keys_.empty() && bytes < kCopyBytes; keys_.pop_back()) {
    std::string& key = keys_.back();
    const JournalPosition* position = index_.Find(key);
    if (position == nullptr || position->segment != victim_) continue;
    if (is_in_flight_(key)) {
      deferred.push_back(std::move(key));
      continue;
    }
    bytes += position->length;
    positions.push_back(*position);
    copied.push_back(std::move(key));
  }
  const bool waits = !deferred.empty();
  keys_.insert(keys_.begin(), std::make_move_iterator(deferred.begin()),
               std::make_move_iterator(deferred.end()));
  if (positions.empty()) {
    if (!waits && keys_.empty()) Drop();
    return;  // Otherwise the end of the writes in flight brings the next step.
  }
  busy_ = true;
  journal_.Copy(std::move(positions),
                [this, keys = std::move(copied)](
                    absl::StatusOr<std::vector<JournalPosition>> result) { Copied(keys, result); });
}

void Compactor::Copied(const std::vector<std::string>& keys,
                       const absl::StatusOr<std::vector<JournalPosition>>& positions) {
  busy_ = false;
  if (!positions.ok()) return GiveUp(positions.status());
  // Results come in the order of the calls: later writes of these keys are not in the index yet.
  for (size_t i = 0; i < keys.size(); ++i) index_.Put(keys[i], (*positions)[i]);
  Step();
}

void Compactor::Drop() {
  busy_ = true;
  journal_.DropSegmentsBefore(victim_ + 1, [this](absl::Status status) {
    busy_ = false;
    if (!status.ok()) return GiveUp(status);
    victim_ = 0;
    ++dropped_segments_;
    Step();
  });
}

void Compactor::GiveUp(const absl::Status& status) {
  victim_ = 0;
  keys_.clear();
  steps_to_skip_ = kStepsAfterFailure;
  if (absl::IsDataLoss(status)) status_ = status;
}

}  // namespace podferry
