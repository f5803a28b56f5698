#include "plugin/bundle_server.h"

#include <algorithm>
#include <utility>

#include "core/wire/codec.h"
#include "glog/logging.h"

namespace podferry {
namespace {

constexpr absl::Duration kKeepUnused = absl::Seconds(10);
constexpr size_t kMaxCached = 4;
// What an envelope adds to the bytes in it, with room to spare.
constexpr int64_t kEnvelope = 4096;
constexpr int64_t kMaxPiece = int64_t{4} << 20;

}  // namespace

BundleServer::BundleServer(EventLoop& loop, const Clock& clock, Bus& bus, JobTable& table,
                           BundleMaker& bundles, wire::Subjects subjects, PluginStamp stamp)
    : loop_(loop),
      clock_(clock),
      bus_(bus),
      table_(table),
      bundles_(bundles),
      subjects_(std::move(subjects)),
      stamp_(std::move(stamp)) {}

absl::Status BundleServer::Start() {
  absl::StatusOr<std::unique_ptr<Bus::Subscription>> subscription =
      bus_.Subscribe(subjects_.AllBundles(stamp_.origin), "",
                     [this](BusMessage message) { OnRequest(std::move(message)); });
  if (!subscription.ok()) return subscription.status();
  subscription_ = *std::move(subscription);
  return absl::OkStatus();
}

void BundleServer::OnRequest(BusMessage message) {
  absl::StatusOr<BundleRequest> request = wire::Decode<BundleRequest>(message.payload);
  if (!request.ok()) return;
  const Job* const job = table_.Find(request->key.uid);
  const bool served = job != nullptr && request->key.origin == stamp_.origin &&
                      job->record.digest == request->digest && !job->record.tombstone.has_value();
  if (!served) return AnswerUnknown(message);
  auto it = std::find_if(cache_.begin(), cache_.end(),
                         [&](const Cached& c) { return c.uid == request->key.uid; });
  if (it == cache_.end()) return Load(std::move(message), *std::move(request));
  it->used = clock_.Monotonic();
  if (it->script == nullptr) {
    it->waiting.emplace_back(std::move(message), *std::move(request));
    return;
  }
  Answer(message, *request, *it->script);
}

void BundleServer::Load(BusMessage message, BundleRequest request) {
  if (cache_.size() >= kMaxCached) {
    auto oldest =
        std::min_element(cache_.begin(), cache_.end(), [](const Cached& a, const Cached& b) {
          return std::pair(a.script == nullptr, a.used) < std::pair(b.script == nullptr, b.used);
        });
    if (oldest->script == nullptr) return;  // all are being loaded: it will be asked for again
    cache_.erase(oldest);
  }
  const std::string uid = request.key.uid;
  Cached& cached = cache_.emplace_back(Cached{uid, nullptr, clock_.Monotonic(), {}});
  cached.waiting.emplace_back(std::move(message), std::move(request));
  bundles_.Load(
      uid, [this, uid, alive = std::weak_ptr<bool>(alive_)](absl::StatusOr<std::string> script) {
        if (!alive.expired()) OnLoaded(uid, std::move(script));
      });
  timer_ = loop_.RunAfter(kKeepUnused, [this] { DropUnused(); });
}

void BundleServer::OnLoaded(const std::string& uid, absl::StatusOr<std::string> script) {
  auto it = std::find_if(cache_.begin(), cache_.end(),
                         [&](const Cached& cached) { return cached.uid == uid; });
  if (it == cache_.end()) return;
  auto waiting = std::move(it->waiting);
  if (!script.ok()) {
    LOG(ERROR) << "the script of job " << uid << " cannot be read: " << script.status();
    cache_.erase(it);
    // The owner asks again; what can never be read again says so.
    if (!absl::IsNotFound(script.status()) && !absl::IsDataLoss(script.status())) return;
    for (const auto& [message, request] : waiting) AnswerUnknown(message);
    return;
  }
  it->waiting.clear();
  it->script = std::make_shared<const std::string>(*std::move(script));
  for (const auto& [message, request] : waiting) Answer(message, request, *it->script);
}

void BundleServer::Answer(const BusMessage& message, const BundleRequest& request,
                          const std::string& script) {
  const int64_t total = static_cast<int64_t>(script.size());
  const int64_t offset = std::clamp<int64_t>(request.offset, 0, total);
  const int64_t most = std::clamp<int64_t>(bus_.MaxPayload() - kEnvelope, 1, kMaxPiece);
  const int64_t wanted = request.max_bytes > 0 ? request.max_bytes : most;
  BundleReply reply;
  reply.from = stamp_;
  reply.known = true;
  reply.offset = offset;
  reply.total = total;
  reply.bytes =
      script.substr(static_cast<size_t>(offset), static_cast<size_t>(std::min(wanted, most)));
  const absl::Status status = bus_.Respond(message, wire::Encode(reply));
  LOG_IF_EVERY_N(WARNING, !status.ok(), 100) << "a piece of a script was not sent: " << status;
}

void BundleServer::AnswerUnknown(const BusMessage& message) {
  BundleReply reply;
  reply.from = stamp_;
  bus_.Respond(message, wire::Encode(reply)).IgnoreError();
}

void BundleServer::DropUnused() {
  const absl::Duration now = clock_.Monotonic();
  std::erase_if(cache_, [now](const Cached& cached) {
    return cached.script != nullptr && now - cached.used >= kKeepUnused;
  });
  if (!cache_.empty()) timer_ = loop_.RunAfter(kKeepUnused, [this] { DropUnused(); });
}

}  // namespace podferry
