#include "submitter/reservations.h"

#include <utility>

namespace podferry {

Reservations::Reservations(const Clock& clock, EventLoop& loop, Lapse lapse)
    : clock_(clock), loop_(loop), lapse_(std::move(lapse)) {}

void Reservations::Add(const JobKey& key, uint32_t round) {
  entries_.push_back({.due = clock_.Monotonic() + kReservationTime, .key = key, .round = round});
  if (entries_.size() == 1) Arm();
}

void Reservations::Arm() {
  if (entries_.empty()) return;
  timer_ = loop_.RunAfter(entries_.front().due - clock_.Monotonic(), [this] { RunDue(); });
}

void Reservations::RunDue() {
  while (!entries_.empty() && entries_.front().due <= clock_.Monotonic()) {
    const Entry entry = std::move(entries_.front());
    entries_.pop_front();
    lapse_(entry.key, entry.round);
  }
  Arm();
}

}  // namespace podferry
