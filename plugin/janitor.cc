#include "plugin/janitor.h"

#include <algorithm>
#include <utility>

#include "glog/logging.h"

namespace podferry {
namespace {

constexpr absl::Duration kTick = absl::Seconds(15);
// interLink polls each pod every five seconds, one after the other.
constexpr absl::Duration kPollsFlow = absl::Minutes(1);
// What is not asked for any more needs no memory.
constexpr absl::Duration kForgetUnknown = absl::Minutes(10);
constexpr size_t kMaxUnknown = 100'000;

}  // namespace

Janitor::Janitor(EventLoop& loop, const Clock& clock, JobTable& table, Dispatcher& dispatcher,
                 absl::AnyInvocable<bool()> connected, JanitorOptions options)
    : loop_(loop),
      clock_(clock),
      table_(table),
      dispatcher_(dispatcher),
      connected_(std::move(connected)),
      options_(options),
      last_tick_(clock.Monotonic()) {}

void Janitor::OnWanted(Job& job) {
  job.polled_at = polls_flowed_;
  if (job.vouched) return;
  job.vouched = true;
  table_.Touch(job);
  dispatcher_.Advance(job);
}

void Janitor::OnPoll(Job& job) {
  last_poll_ = clock_.Monotonic();
  OnWanted(job);
}

bool Janitor::OnUnknownPoll(absl::string_view uid) {
  const absl::Duration now = clock_.Monotonic();
  last_poll_ = now;
  auto it = unknown_.find(uid);
  if (it == unknown_.end()) {
    if (unknown_.size() < kMaxUnknown) unknown_.emplace(uid, UnknownPod{connected_for_, now});
    return false;
  }
  it->second.last_asked = now;
  return options_.lost_after > absl::ZeroDuration() &&
         connected_for_ - it->second.first_asked >= options_.lost_after;
}

void Janitor::Tick() {
  const absl::Duration now = clock_.Monotonic();
  const absl::Duration elapsed = std::min(now - std::exchange(last_tick_, now), 2 * kTick);
  if (now - last_poll_ <= kPollsFlow) polls_flowed_ += elapsed;
  if (connected_()) connected_for_ += elapsed;
  table_.ForEach([this](Job& job) {
    if (!job.busy) Sweep(job);
  });
  absl::erase_if(unknown_, [now](const auto& entry) {
    return now - entry.second.last_asked > kForgetUnknown;
  });
  timer_ = loop_.RunAfter(kTick, [this] { Tick(); });
}

void Janitor::Sweep(Job& job) {
  const JobRecord& record = job.record;
  const absl::Time now = clock_.Now();
  if (record.tombstone.has_value()) {
    const Tombstone& tombstone = *record.tombstone;
    // One that nobody ever answered, for a job that nobody is known to have, ends as well.
    const absl::Time done = tombstone.confirmed()  ? tombstone.confirmed_at
                            : record.owner.empty() ? tombstone.requested_at
                                                   : absl::InfiniteFuture();
    if (now - done > options_.keep_tombstones) table_.Erase(std::string(job.uid()));
    return;
  }
  if (IsFinal(record.status.phase)) {
    if (now - record.status.changed_at > options_.keep_finished) {
      dispatcher_.Delete(job, record.job.grace, "it has been over for long", [] {});
    }
    return;
  }
  if (record.source == JobSource::kCli) return;
  if (polls_flowed_ - job.polled_at > options_.orphan_after) {
    LOG(WARNING) << "job " << record.job.SubjectName()
                 << " is deleted: its pod is not asked for any more";
    dispatcher_.Delete(job, record.job.grace, "its pod is gone from the cluster", [] {});
  }
}

}  // namespace podferry
