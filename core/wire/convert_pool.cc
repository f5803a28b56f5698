#include <cstddef>
#include <utility>

#include "core/wire/convert.h"

namespace podferry::wire {

static_assert(static_cast<int>(Farewell::kDrain) == v1::FAREWELL_DRAIN);
static_assert(static_cast<int>(Farewell::kRestart) == v1::FAREWELL_RESTART);

void ToProto(const StatusDelta& from, v1::StatusDelta& to) {
  to.set_number(from.number);
  ToProto(from.status, *to.mutable_status());
}

void FromProto(v1::StatusDelta& from, StatusDelta& to, FieldCheck& check) {
  to.number = from.number();
  Inner(from.mutable_status(), to.status, "status", check);
}

void ToProto(const EventBatch& from, v1::EventBatch& to) {
  ToProto(from.by, *to.mutable_by());
  PutAll(from.deltas, to.mutable_deltas());
}

void FromProto(v1::EventBatch& from, EventBatch& to, FieldCheck& check) {
  Inner(from.mutable_by(), to.by, "by", check);
  InnerAll(from.mutable_deltas(), to.deltas, "deltas", check);
  for (size_t i = 1; i < to.deltas.size(); ++i) {
    check.That(to.deltas[i].number == to.deltas[i - 1].number + 1, "deltas",
               "numbers are not consecutive");
  }
}

void ToProto(const SyncRequest& from, v1::SyncRequest& to) {
  ToProto(from.from, *to.mutable_from());
  to.set_only(Text(from.only));
  to.set_page_token(Text(from.page_token));
}

void FromProto(v1::SyncRequest& from, SyncRequest& to, FieldCheck& check) {
  Inner(from.mutable_from(), to.from, "from", check);
  to.only = std::move(*from.mutable_only());
  to.page_token = std::move(*from.mutable_page_token());
}

void ToProto(const SyncReply& from, v1::SyncReply& to) {
  ToProto(from.by, *to.mutable_by());
  to.set_last_number(from.last_number);
  PutAll(from.statuses, to.mutable_statuses());
  PutAll(from.jobs, to.mutable_jobs());
  to.set_next_page_token(Text(from.next_page_token));
}

void FromProto(v1::SyncReply& from, SyncReply& to, FieldCheck& check) {
  Inner(from.mutable_by(), to.by, "by", check);
  to.last_number = from.last_number();
  InnerAll(from.mutable_statuses(), to.statuses, "statuses", check);
  InnerAll(from.mutable_jobs(), to.jobs, "jobs", check);
  to.next_page_token = std::move(*from.mutable_next_page_token());
  bool same = to.jobs.size() == to.statuses.size();
  for (size_t i = 0; same && i < to.jobs.size(); ++i) same = to.jobs[i].key == to.statuses[i].key;
  check.That(same, "jobs", "are not those of the statuses");
}

void ToProto(const ConfigAnnouncement& from, v1::ConfigAnnouncement& to) {
  ToProto(from.by, *to.mutable_by());
  to.set_number(from.number);
  to.set_build_config(Text(from.build_config));
  PutTime(from.time, to.mutable_time());
}

void FromProto(v1::ConfigAnnouncement& from, ConfigAnnouncement& to, FieldCheck& check) {
  Inner(from.mutable_by(), to.by, "by", check);
  to.number = from.number();
  to.build_config = std::move(*from.mutable_build_config());
  to.time = TakeTime(from.time(), "time", check);
}

void ToProto(const ResourceReport& from, v1::ResourceReport& to) {
  ToProto(from.by, *to.mutable_by());
  to.set_pool(Text(from.pool));
  to.set_backend(Text(from.backend));
  to.set_backend_id(Text(from.backend_id));
  to.set_number(from.number);
  PutTime(from.time, to.mutable_time());
  PutMap(from.capacity, to.mutable_capacity());
  PutMap(from.used, to.mutable_used());
  PutStrings(from.labels, to.mutable_labels());
  PutStrings(from.taints, to.mutable_taints());
  to.set_last_event_number(from.last_event_number);
  to.set_jobs(from.jobs);
  to.set_farewell(static_cast<v1::Farewell>(from.farewell));
}

void FromProto(v1::ResourceReport& from, ResourceReport& to, FieldCheck& check) {
  Inner(from.mutable_by(), to.by, "by", check);
  to.pool = std::move(*from.mutable_pool());
  to.backend = std::move(*from.mutable_backend());
  to.backend_id = std::move(*from.mutable_backend_id());
  to.number = from.number();
  to.time = TakeTime(from.time(), "time", check);
  to.capacity = TakeMap(from.mutable_capacity());
  to.used = TakeMap(from.mutable_used());
  to.labels = TakeStrings(from.mutable_labels());
  to.taints = TakeStrings(from.mutable_taints());
  to.last_event_number = from.last_event_number();
  to.jobs = from.jobs();
  to.farewell = TakeEnum<Farewell>(from.farewell(), v1::Farewell_IsValid);
}

void ToProto(const Shutdown& from, v1::Shutdown& to) {
  ToProto(from.from, *to.mutable_from());
  to.set_reason(Text(from.reason));
}

void FromProto(v1::Shutdown& from, Shutdown& to, FieldCheck& check) {
  Inner(from.mutable_from(), to.from, "from", check);
  to.reason = std::move(*from.mutable_reason());
}

void ToProto(const ShutdownReply& from, v1::ShutdownReply& to) {
  ToProto(from.by, *to.mutable_by());
  to.set_message(Text(from.message));
}

void FromProto(v1::ShutdownReply& from, ShutdownReply& to, FieldCheck& check) {
  Inner(from.mutable_by(), to.by, "by", check);
  to.message = std::move(*from.mutable_message());
}

}  // namespace podferry::wire
