#include "submitter/bundle_fetcher.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/wire/codec.h"

namespace podferry {
namespace {

constexpr int kParallel = 4;
constexpr int64_t kMaxPiece = 512 * 1024;
constexpr int64_t kEnvelope = 4096;  // what a piece may grow by on the wire
constexpr absl::Duration kTimeout = absl::Seconds(10);
constexpr absl::Duration kFirstPause = absl::Milliseconds(250);
constexpr absl::Duration kLongestPause = absl::Seconds(30);

}  // namespace

struct BundleFetcher::Transfer {
  JobDescription job;
  std::string digest;
  uint64_t size = 0;
  Done done;
  std::string script;  // the pieces so far
  bool running = false;
  bool damaged = false;  // it has come damaged once
  uint64_t attempt = 0;  // answers to earlier ones are late
  absl::Duration pause = kFirstPause;
  Timer retry;
};

BundleFetcher::BundleFetcher(const wire::Subjects& subjects, SubmitterStamp self, Bus& bus,
                             EventLoop& loop)
    : subjects_(subjects), self_(std::move(self)), bus_(bus), loop_(loop) {}

BundleFetcher::~BundleFetcher() = default;

void BundleFetcher::Fetch(const JobDescription& job, const std::string& digest, uint64_t size,
                          Done done) {
  std::unique_ptr<Transfer>& transfer = transfers_[job.key];
  if (transfer != nullptr) {
    transfer->done = std::move(done);
    return;
  }
  transfer = std::make_unique<Transfer>();
  transfer->job = job;
  transfer->digest = digest;
  transfer->size = size;
  transfer->done = std::move(done);
  waiting_.push_back(job.key);
  StartSome();
}

void BundleFetcher::Forget(const JobKey& key) {
  const auto transfer = transfers_.find(key);
  if (transfer == transfers_.end()) return;
  if (transfer->second->running) --running_;
  transfers_.erase(transfer);
  StartSome();
}

void BundleFetcher::StartSome() {
  while (running_ < kParallel && !waiting_.empty()) {
    const JobKey key = std::move(waiting_.front());
    waiting_.pop_front();
    const auto transfer = transfers_.find(key);
    if (transfer == transfers_.end() || transfer->second->running) continue;
    transfer->second->running = true;
    ++running_;
    AskForPiece(key);
  }
}

void BundleFetcher::AskForPiece(const JobKey& key) {
  Transfer& transfer = *transfers_.at(key);
  const int64_t room = std::max<int64_t>(1024, bus_.MaxPayload() - kEnvelope);
  const BundleRequest request{.by = self_,
                              .key = key,
                              .digest = transfer.digest,
                              .offset = static_cast<int64_t>(transfer.script.size()),
                              .max_bytes = static_cast<int32_t>(std::min(kMaxPiece, room))};
  bus_.Request(
      subjects_.Bundle(transfer.job.pool, key.origin, transfer.job.SubjectName()),
      wire::Encode(request), kTimeout,
      lifetime_.Bind([this, key, attempt = ++transfer.attempt](absl::StatusOr<std::string> answer) {
        OnPiece(key, attempt, std::move(answer));
      }));
}

void BundleFetcher::OnPiece(const JobKey& key, uint64_t attempt,
                            absl::StatusOr<std::string> answer) {
  const auto found = transfers_.find(key);
  if (found == transfers_.end() || found->second->attempt != attempt) return;
  Transfer& transfer = *found->second;
  if (!answer.ok()) return AskAgainLater(transfer);
  absl::StatusOr<BundleReply> piece = wire::Decode<BundleReply>(*answer);
  if (!piece.ok()) {
    LOG(WARNING) << key.ToString() << ": a piece of its script cannot be read: " << piece.status();
    return AskAgainLater(transfer);
  }
  if (!piece->known) {
    return Finish(key, absl::NotFoundError("the plugin does not have the job's script any more"));
  }
  const bool fits = piece->offset == static_cast<int64_t>(transfer.script.size()) &&
                    transfer.script.size() + piece->bytes.size() <= transfer.size &&
                    !piece->bytes.empty();
  if (!fits) {
    LOG(WARNING) << key.ToString() << ": a piece of its script does not fit, from the start again";
    transfer.script.clear();
    transfer.damaged = true;
    return AskAgainLater(transfer);
  }
  // A plugin that answers is asked on at once; one whose script never fits, less and less often.
  if (!transfer.damaged) transfer.pause = kFirstPause;
  absl::StrAppend(&transfer.script, piece->bytes);
  if (transfer.script.size() < transfer.size) return AskForPiece(key);
  if (Sha256Hex(transfer.script) != transfer.digest) {
    LOG(WARNING) << key.ToString() << ": its script came damaged, from the start again";
    transfer.script.clear();
    transfer.damaged = true;
    return AskAgainLater(transfer);
  }
  Finish(key, std::move(transfer.script));
}

void BundleFetcher::AskAgainLater(Transfer& transfer) {
  transfer.retry =
      loop_.RunAfter(transfer.pause, [this, key = transfer.job.key] { AskForPiece(key); });
  transfer.pause = std::min(transfer.pause * 2, kLongestPause);
}

void BundleFetcher::Finish(const JobKey& key, absl::StatusOr<std::string> script) {
  Done done = std::move(transfers_.at(key)->done);
  Forget(key);
  done(std::move(script));
}

}  // namespace podferry
