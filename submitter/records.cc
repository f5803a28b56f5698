#include "submitter/records.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/base/ids.h"
#include "core/base/issues.h"
#include "core/base/status_macros.h"
#include "core/json/document.h"
#include "core/json/writer.h"

namespace podferry {
namespace {

constexpr char kSelf[] = "submitter";
constexpr char kOrigin[] = "origin/";
constexpr char kJob[] = "job/";
constexpr char kScript[] = "script/";

std::string JobEntry(const JobKey& key) { return absl::StrCat(kJob, key.FileName()); }
std::string ScriptEntry(const JobKey& key) { return absl::StrCat(kScript, key.FileName()); }

}  // namespace

std::string Records::SelfToJson() const {
  std::string text;
  json::Writer out(&text);
  out.BeginObject();
  out.Field("id", self_.id);
  out.Field("epoch", self_.epoch);
  out.Field("bootId", boot_id_);
  out.Field("bootEpoch", boot_epoch_);
  out.EndObject();
  return text;
}

absl::Status Records::ParseSelf(absl::string_view text) {
  PODFERRY_ASSIGN_OR_RETURN(const json::Document document, json::Document::Parse(text));
  Issues issues;
  const json::Value root = document.Root(&issues).RequireObject();
  self_.id = std::string(root.Get("id").RequireString());
  self_.epoch = static_cast<uint64_t>(root.Get("epoch").RequireInt64());
  boot_id_ = std::string(root.Get("bootId").StringOr(""));
  boot_epoch_ = static_cast<uint64_t>(root.Get("bootEpoch").Int64Or(0));
  return issues.ToStatus();
}

void Records::Open(Store& store, const Clock& clock, std::string boot_id,
                   absl::AnyInvocable<void(absl::StatusOr<std::unique_ptr<Records>>)> done) {
  auto records = std::unique_ptr<Records>(new Records(store, clock));
  Records* raw = records.get();
  // Scripts are not read: there may be gigabytes of them.
  store.Scan(kJob, [raw, &store, boot_id = std::move(boot_id), records = std::move(records),
                    done = std::move(done)](absl::StatusOr<Store::Entries> jobs) mutable {
    const absl::Status loaded = jobs.ok() ? raw->Load(*jobs) : jobs.status();
    if (!loaded.ok()) return done(loaded);
    store.Scan(kOrigin, [raw, &store, boot_id = std::move(boot_id), records = std::move(records),
                         done = std::move(done)](absl::StatusOr<Store::Entries> origins) mutable {
      const absl::Status loaded = origins.ok() ? raw->Load(*origins) : origins.status();
      if (!loaded.ok()) return done(loaded);
      store.Read(kSelf, [raw, boot_id = std::move(boot_id), records = std::move(records),
                         done = std::move(done)](absl::StatusOr<std::string> self) mutable {
        if (absl::IsNotFound(self.status())) self = "";
        const absl::Status parsed = !self.ok()      ? self.status()
                                    : self->empty() ? absl::OkStatus()
                                                    : raw->ParseSelf(*self);
        if (!parsed.ok()) return done(parsed);
        raw->Start(boot_id, [records = std::move(records),
                             done = std::move(done)](absl::Status status) mutable {
          if (!status.ok()) return done(status);
          done(std::move(records));
        });
      });
    });
  });
}

absl::Status Records::Load(const Store::Entries& entries) {
  for (const auto& [name, value] : entries) {
    absl::string_view rest = name;
    if (absl::ConsumePrefix(&rest, kOrigin)) {
      if (!absl::SimpleAtoi(value, &epochs_[std::string(rest)])) unreadable_.push_back(name);
    } else {
      absl::StatusOr<JobRecord> record = ParseRecord(value);
      if (!record.ok()) {
        unreadable_.push_back(absl::StrCat(name, ": ", record.status().message()));
        continue;
      }
      const JobKey key = record->job.key;
      slots_[key].record = *std::move(record);
    }
  }
  return absl::OkStatus();
}

void Records::Start(const std::string& boot_id, absl::AnyInvocable<void(absl::Status)> done) {
  if (self_.id.empty()) self_.id = NewUuid();
  ++self_.epoch;
  if (boot_id != boot_id_) {
    boot_id_ = boot_id;
    boot_epoch_ = self_.epoch;
  }
  std::vector<Mutation> batch;
  batch.push_back(Mutation::Put(kSelf, SelfToJson()));
  store_.Write(std::move(batch), std::move(done));
}

bool Records::Admit(const PluginStamp& from) {
  uint64_t& highest = epochs_[from.origin];
  if (from.epoch < highest) return false;
  if (from.epoch > highest) {
    highest = from.epoch;
    std::vector<Mutation> batch;
    batch.push_back(Mutation::Put(absl::StrCat(kOrigin, from.origin), absl::StrCat(highest)));
    // The store keeps the order of writes: nothing that the newer plugin asks for is durable
    // without this.
    ++writing_;
    store_.Write(std::move(batch), lifetime_.Bind([this](absl::Status) { Finished(); }));
  }
  return true;
}

const JobRecord* Records::Find(const JobKey& key) const {
  const auto slot = slots_.find(key);
  return slot == slots_.end() || !slot->second.record.has_value() ? nullptr : &*slot->second.record;
}

void Records::ForEach(absl::FunctionRef<void(const JobRecord&)> visit) const {
  ForEachAfter(std::nullopt, [&](const JobRecord& record) {
    visit(record);
    return true;
  });
}

void Records::ForEachAfter(const std::optional<JobKey>& after,
                           absl::FunctionRef<bool(const JobRecord&)> visit) const {
  for (auto slot = after.has_value() ? slots_.upper_bound(*after) : slots_.begin();
       slot != slots_.end(); ++slot) {
    if (slot->second.record.has_value() && !visit(*slot->second.record)) return;
  }
}

void Records::Update(const JobKey& key, Change change, Done done) {
  Slot& slot = slots_[key];
  slot.waiting.push_back({std::move(change), std::move(done)});
  if (!slot.writing && slot.waiting.size() == 1) RunNext(key, slot);
}

void Records::RunNext(const JobKey& key, Slot& slot) {
  while (!slot.writing && !slot.waiting.empty()) {
    JobRecord record = slot.record.value_or(JobRecord());
    if (!slot.record.has_value()) record.job.key = record.status.key = key;
    Write write = slot.waiting.front().change(record);
    Done done = std::move(slot.waiting.front().done);
    if (write.kind == Write::Kind::kNothing) {
      done(absl::OkStatus());
      slot.waiting.pop_front();
    } else {
      slot.waiting.pop_front();
      slot.writing = true;
      Apply(key, std::move(record), std::move(write), std::move(done));
    }
  }
  if (!slot.writing && !slot.record.has_value()) slots_.erase(JobKey(key));
}

void Records::Apply(const JobKey& key, JobRecord record, Write write, Done done) {
  const bool remove = write.kind == Write::Kind::kRemove;
  record.touched = clock_.Now();
  record.epoch = self_.epoch;
  std::vector<Mutation> batch;
  if (write.script.has_value()) {
    batch.push_back(Mutation::Put(ScriptEntry(key), *std::move(write.script)));
  } else if (write.drop_script || remove) {
    batch.push_back(Mutation::Delete(ScriptEntry(key)));
  }
  batch.push_back(remove ? Mutation::Delete(JobEntry(key))
                         : Mutation::Put(JobEntry(key), RecordToJson(record)));
  ++writing_;
  store_.Write(std::move(batch),
               lifetime_.Bind([this, key, remove, record = std::move(record),
                               done = std::move(done)](absl::Status status) mutable {
                 Slot& slot = slots_[key];
                 if (status.ok()) {
                   if (remove) {
                     slot.record.reset();
                   } else {
                     slot.record = std::move(record);
                   }
                 }
                 slot.writing = false;
                 // What `done` asks for waits until the changes before it have had their turn.
                 done(status);
                 const auto still = slots_.find(key);
                 if (still != slots_.end()) RunNext(key, still->second);
                 Finished();
               }));
}

void Records::Finished() {
  if (--writing_ > 0) return;
  for (auto& flush : std::exchange(flushes_, {})) flush();
}

void Records::ReadScript(const JobKey& key,
                         absl::AnyInvocable<void(absl::StatusOr<std::string>)> done) const {
  store_.Read(ScriptEntry(key), std::move(done));
}

void Records::Flush(absl::AnyInvocable<void()> done) {
  if (writing_ == 0) return done();
  flushes_.push_back(std::move(done));
}

}  // namespace podferry
