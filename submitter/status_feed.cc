#include "submitter/status_feed.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "core/base/failpoint.h"
#include "core/wire/codec.h"

namespace podferry {
namespace {

constexpr absl::Duration kCoalesce = absl::Milliseconds(3);
// A delta is about 500 bytes; NATS' default limit is 1 MiB.
constexpr size_t kMaxDeltas = 200;

}  // namespace

StatusFeed::StatusFeed(std::string subject, const Records& records, Bus& bus, EventLoop& loop,
                       SubmitterMetrics& metrics)
    : subject_(std::move(subject)), records_(records), bus_(bus), loop_(loop), metrics_(metrics) {}

void StatusFeed::Changed(const JobKey& key) {
  if (waiting_.insert(key).second) changed_.push_back(key);
  if (timer_set_) return;
  timer_set_ = true;
  timer_ = loop_.RunAfter(kCoalesce, [this] { Flush(); });
}

void StatusFeed::Flush() {
  timer_set_ = false;
  waiting_.clear();
  std::vector<StatusDelta> deltas;
  for (const JobKey& key : std::exchange(changed_, {})) {
    const JobRecord* record = records_.Find(key);
    if (record == nullptr || record->status.phase == JobPhase::kUnspecified) continue;
    deltas.push_back({.number = ++last_number_, .status = record->status});
    if (deltas.size() == kMaxDeltas) Send(std::exchange(deltas, {}));
  }
  if (!deltas.empty()) Send(std::move(deltas));
}

void StatusFeed::Send(std::vector<StatusDelta> deltas) {
  Failpoint("submitter.delta.before_first");
  EventBatch batch{.by = records_.self(), .deltas = std::move(deltas)};
  const size_t count = batch.deltas.size();
  std::string payload = wire::Encode(batch);
  if (static_cast<int64_t>(payload.size()) > bus_.MaxPayload() && count > 1) {
    // Long messages of backends: halves have the same numbers.
    std::vector<StatusDelta> rest(std::make_move_iterator(batch.deltas.begin() + count / 2),
                                  std::make_move_iterator(batch.deltas.end()));
    batch.deltas.resize(count / 2);
    Send(std::move(batch.deltas));
    return Send(std::move(rest));
  }
  const absl::Status sent = bus_.Publish(subject_, std::move(payload));
  if (sent.ok()) {
    metrics_.deltas.Increment(static_cast<double>(count));
  } else {
    metrics_.deltas_lost.Increment(static_cast<double>(count));
    VLOG(1) << count << " status deltas are lost, plugins will ask: " << sent;
  }
  Failpoint("submitter.delta.after_first");
}

}  // namespace podferry
