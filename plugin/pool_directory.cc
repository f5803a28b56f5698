#include "plugin/pool_directory.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/json/document.h"
#include "core/json/value.h"
#include "core/quantity/quantity.h"

namespace podferry {
namespace {

// How often a growing silence is written down.
constexpr absl::Duration kPersistSilence = absl::Minutes(1);

// The value of "quotas" where the payload is what the Python original publishes.
std::optional<std::string> LegacyQuotas(absl::string_view payload) {
  absl::StatusOr<json::Document> document = json::Document::Parse(payload);
  if (!document.ok()) return std::nullopt;
  const json::Value root = document->Root(nullptr);
  if (root.kind() != json::Kind::kObject || !root.Get("quotas").present()) return std::nullopt;
  return root.Get("quotas").ToJson();
}

}  // namespace

const PoolInfo* PoolDirectory::Find(absl::string_view pool) const {
  auto it = pools_.find(std::string(pool));
  return it == pools_.end() ? nullptr : &it->second;
}

const SubmitterInfo* PoolDirectory::FindSubmitter(absl::string_view pool,
                                                  absl::string_view id) const {
  const PoolInfo* const info = Find(pool);
  if (info == nullptr) return nullptr;
  auto it = info->submitters.find(std::string(id));
  return it == info->submitters.end() ? nullptr : &it->second;
}

PoolInfo& PoolDirectory::Pool(absl::string_view pool) {
  PoolInfo& info = pools_[std::string(pool)];
  if (info.name.empty()) {
    info.name = std::string(pool);
    ++version_;
  }
  return info;
}

SubmitterInfo& PoolDirectory::Submitter(PoolInfo& pool, const SubmitterStamp& by, absl::Time now,
                                        Effect& effect) {
  SubmitterInfo& submitter = pool.submitters[by.id];
  const bool restarted = submitter.epoch != by.epoch;
  if (submitter.id.empty() || restarted) {
    submitter.id = by.id;
    submitter.epoch = by.epoch;
    submitter.last_event = 0;
    submitter.synced = false;
    submitter.reported = false;
    submitter.report = ResourceReport{};
    effect.sync = effect.persist = true;
  }
  if (restarted || submitter.silent()) {
    effect.revived = true;
    effect.persist = true;
    submitter.farewell = Farewell::kUnspecified;
    ++version_;
  }
  submitter.silent_for = absl::ZeroDuration();
  submitter.heard_at = now;
  return submitter;
}

PoolDirectory::Effect PoolDirectory::OnHeard(absl::string_view pool, const SubmitterStamp& by,
                                             absl::Time now) {
  Effect effect;
  const SubmitterInfo* const known = FindSubmitter(pool, by.id);
  if (known != nullptr && by.epoch < known->epoch) return effect;
  Submitter(Pool(pool), by, now, effect);
  return effect;
}

PoolDirectory::Effect PoolDirectory::OnReport(absl::string_view pool, const ResourceReport& report,
                                              absl::Time now) {
  const SubmitterInfo* const known = FindSubmitter(pool, report.by.id);
  // One that was overtaken on its way.
  if (known != nullptr &&
      (report.by.epoch < known->epoch || (report.by.epoch == known->epoch && known->reported &&
                                          report.number < known->report.number))) {
    return {};
  }
  Effect effect;
  PoolInfo& info = Pool(pool);
  SubmitterInfo& submitter = Submitter(info, report.by, now, effect);
  const bool first = !submitter.reported;
  if (submitter.backend_id != report.backend_id) effect.persist = true;
  submitter.backend = report.backend;
  submitter.backend_id = report.backend_id;
  if (first || submitter.farewell != report.farewell || !info.problem.empty() || info.legacy) {
    ++version_;
    effect.revived = effect.revived || report.farewell == Farewell::kUnspecified;
  }
  submitter.reported = true;
  submitter.farewell = report.farewell;
  submitter.report = report;
  info.legacy = false;
  info.legacy_quotas.clear();
  info.problem.clear();
  if (!submitter.synced || report.last_event_number > submitter.last_event) effect.sync = true;
  if (report.farewell != Farewell::kUnspecified) effect.sync = false;
  return effect;
}

PoolDirectory::Effect PoolDirectory::OnEvents(absl::string_view pool, const SubmitterStamp& by,
                                              uint64_t first, uint64_t last, absl::Time now) {
  const SubmitterInfo* const known = FindSubmitter(pool, by.id);
  if (known != nullptr && by.epoch < known->epoch) return {};
  Effect effect;
  SubmitterInfo& submitter = Submitter(Pool(pool), by, now, effect);
  if (first > submitter.last_event + 1 || !submitter.synced) effect.sync = true;
  submitter.last_event = std::max(submitter.last_event, last);
  return effect;
}

void PoolDirectory::OnSynced(absl::string_view pool, const SubmitterStamp& by,
                             uint64_t last_number) {
  Effect ignored;
  auto it = Pool(pool).submitters.find(by.id);
  if (it == Pool(pool).submitters.end() || it->second.epoch != by.epoch) return;
  it->second.synced = true;
  it->second.last_event = std::max(it->second.last_event, last_number);
}

void PoolDirectory::OnReconnected() {
  for (auto& [name, pool] : pools_) {
    for (auto& [id, submitter] : pool.submitters) submitter.synced = false;
  }
  ++version_;
}

PoolDirectory::Effect PoolDirectory::OnConfig(absl::string_view pool,
                                              const ConfigAnnouncement& announcement,
                                              absl::Time now) {
  const SubmitterInfo* const known = FindSubmitter(pool, announcement.by.id);
  if (known != nullptr && announcement.by.epoch < known->epoch) return {};
  Effect effect;
  PoolInfo& info = Pool(pool);
  Submitter(info, announcement.by, now, effect);
  if (announcement.time < info.config_time) return effect;
  if (announcement.build_config == info.config_text && info.config != nullptr) {
    info.config_time = announcement.time;
    return effect;
  }
  info.SetConfig(announcement.build_config, announcement.time);
  ++version_;
  effect.persist = effect.revived = true;
  return effect;
}

void PoolDirectory::OnForeignReport(absl::string_view pool, absl::string_view payload,
                                    const absl::Status& error) {
  PoolInfo& info = Pool(pool);
  ++version_;
  if (std::optional<std::string> quotas = LegacyQuotas(payload)) {
    info.legacy = true;
    info.legacy_quotas = *std::move(quotas);
    return;
  }
  info.problem = std::string(error.message());
}

void PoolDirectory::Ensure(absl::string_view pool, absl::string_view submitter,
                           absl::string_view backend_id) {
  SubmitterInfo& info = Pool(pool).submitters[std::string(submitter)];
  if (!info.id.empty()) return;
  info.id = std::string(submitter);
  info.backend_id = std::string(backend_id);
}

absl::Duration PoolDirectory::ShortestSilence() const {
  absl::Duration shortest = absl::InfiniteDuration();
  for (const auto& [name, pool] : pools_) {
    if (!pool.left()) shortest = std::min(shortest, pool.silent_for());
  }
  return shortest;
}

bool PoolDirectory::Holding() const {
  const absl::Duration shortest = ShortestSilence();
  if (shortest < kSilentAfter) return false;
  int together = 0;
  for (const auto& [name, pool] : pools_) {
    if (!pool.left() && pool.silent_for() <= shortest + kAnnouncementInterval) ++together;
  }
  return together >= 2;
}

std::vector<std::string> PoolDirectory::OnTick(absl::Duration elapsed) {
  std::vector<std::string> to_write;
  const bool holding = Holding();
  const absl::Duration held_up_to = ShortestSilence() + kAnnouncementInterval;
  for (auto& [name, pool] : pools_) {
    if (holding && !pool.left() && pool.silent_for() <= held_up_to) continue;
    bool write = false;
    for (auto& [id, submitter] : pool.submitters) {
      const absl::Duration before = submitter.silent_for;
      submitter.silent_for += elapsed;
      if (before < kSilentAfter && submitter.silent()) ++version_;
      write |= before / kPersistSilence != submitter.silent_for / kPersistSilence;
    }
    if (write) to_write.push_back(name);
  }
  return to_write;
}

bool PoolDirectory::Lost(absl::string_view pool, absl::string_view submitter) const {
  if (grace_ == absl::ZeroDuration()) return false;
  const SubmitterInfo* const info = FindSubmitter(pool, submitter);
  return info != nullptr && info->silent_for >= std::max(grace_, kSilentAfter);
}

PoolDirectory::WaitReason PoolDirectory::Waiting(absl::string_view name) const {
  const PoolInfo* const pool = Find(name);
  if (pool == nullptr) {
    return {"PoolUnknown", absl::StrCat("no submitter of pool ", name, " has been heard of yet")};
  }
  if (!pool->problem.empty()) {
    return {"PoolIncompatible",
            absl::StrCat("pool ", name, " cannot be understood: ", pool->problem)};
  }
  if (pool->legacy) {
    return {"PoolLegacy", absl::StrCat("pool ", name,
                                       " is served by the Python original's submitter, which "
                                       "podferry cannot send jobs to; start `submitter` there")};
  }
  if (pool->config == nullptr) {
    return {"PoolConfigMissing",
            pool->config_error.empty()
                ? absl::StrCat("pool ", name, " has not announced its BuildConfig yet")
                : absl::StrCat("the BuildConfig of pool ", name,
                               " cannot be read: ", pool->config_error)};
  }
  if (pool->submitters.empty()) return {};
  if (pool->left()) {
    return {"PoolLeft", absl::StrCat("the submitters of pool ", name, " have been shut down")};
  }
  if (pool->silent_for() >= kSilentAfter) {
    return {"PoolSilent", absl::StrCat("pool ", name, " has not been heard of lately")};
  }
  return {};
}

std::map<std::string, std::string> PoolDirectory::TotalCapacity() const {
  std::map<std::string, Quantity> sums;
  for (const auto& [name, pool] : pools_) {
    const ResourceReport* const report = pool.report();
    if (report == nullptr) continue;
    for (const auto& [resource, text] : report->capacity) {
      const absl::StatusOr<Quantity> quantity = Quantity::Parse(text);
      if (quantity.ok() && !quantity->IsNegative()) sums[resource] += *quantity;
    }
  }
  std::map<std::string, std::string> total;
  for (const auto& [resource, sum] : sums) total[resource] = sum.ToString();
  return total;
}

void PoolDirectory::Forget(absl::string_view pool) {
  pools_.erase(std::string(pool));
  ++version_;
}

std::vector<std::pair<std::string, std::string>> PoolDirectory::SilentSince(
    absl::Duration duration) const {
  std::vector<std::pair<std::string, std::string>> silent;
  for (const auto& [name, pool] : pools_) {
    for (const auto& [id, submitter] : pool.submitters) {
      if (submitter.silent_for >= duration) silent.emplace_back(name, id);
    }
  }
  return silent;
}

void PoolDirectory::Remove(absl::string_view pool, absl::string_view submitter) {
  auto it = pools_.find(std::string(pool));
  if (it == pools_.end() || it->second.submitters.erase(std::string(submitter)) == 0) return;
  ++version_;
}

absl::Status PoolDirectory::Restore(absl::string_view name, absl::string_view text) {
  absl::StatusOr<PoolInfo> pool = ParsePoolInfo(name, text);
  if (!pool.ok()) return pool.status();
  pools_.insert_or_assign(std::string(name), *std::move(pool));
  ++version_;
  return absl::OkStatus();
}

}  // namespace podferry
