#include <utility>

#include "core/wire/convert.h"

namespace podferry::wire {

void ToProto(const StatusRequest& from, v1::StatusRequest& to) {
  ToProto(from.from, *to.mutable_from());
  ToProto(from.key, *to.mutable_key());
}

void FromProto(v1::StatusRequest& from, StatusRequest& to, FieldCheck& check) {
  Inner(from.mutable_from(), to.from, "from", check);
  Inner(from.mutable_key(), to.key, "key", check);
}

void ToProto(const TimelineEntry& from, v1::TimelineEntry& to) {
  PutTime(from.time, to.mutable_time());
  to.set_event(Text(from.event));
}

void FromProto(v1::TimelineEntry& from, TimelineEntry& to, FieldCheck& check) {
  to.time = TakeTime(from.time(), "time", check);
  to.event = std::move(*from.mutable_event());
}

void ToProto(const StatusReply& from, v1::StatusReply& to) {
  ToProto(from.by, *to.mutable_by());
  to.set_known(from.known);
  if (from.status != JobStatus()) ToProto(from.status, *to.mutable_status());
  PutAll(from.timeline, to.mutable_timeline());
}

void FromProto(v1::StatusReply& from, StatusReply& to, FieldCheck& check) {
  Inner(from.mutable_by(), to.by, "by", check);
  to.known = from.known();
  if (from.has_status()) Inner(from.mutable_status(), to.status, "status", check);
  InnerAll(from.mutable_timeline(), to.timeline, "timeline", check);
}

void ToProto(const Find& from, v1::Find& to) {
  ToProto(from.from, *to.mutable_from());
  ToProto(from.key, *to.mutable_key());
  to.set_forget(from.forget);
}

void FromProto(v1::Find& from, Find& to, FieldCheck& check) {
  Inner(from.mutable_from(), to.from, "from", check);
  Inner(from.mutable_key(), to.key, "key", check);
  to.forget = from.forget();
}

void ToProto(const FindReply& from, v1::FindReply& to) {
  ToProto(from.by, *to.mutable_by());
  to.set_backend_id(Text(from.backend_id));
  to.set_known(from.known);
  to.set_forgotten(from.forgotten);
  if (from.status != JobStatus()) ToProto(from.status, *to.mutable_status());
}

void FromProto(v1::FindReply& from, FindReply& to, FieldCheck& check) {
  Inner(from.mutable_by(), to.by, "by", check);
  to.backend_id = std::move(*from.mutable_backend_id());
  to.known = from.known();
  to.forgotten = from.forgotten();
  if (from.has_status()) Inner(from.mutable_status(), to.status, "status", check);
}

void ToProto(const LogRequest& from, v1::LogRequest& to) {
  ToProto(from.from, *to.mutable_from());
  ToProto(from.key, *to.mutable_key());
  to.set_container(Text(from.container));
  to.set_attempt(from.attempt);
  to.set_offset(from.offset);
  to.set_tail_lines(from.tail_lines);
  if (from.since != absl::InfinitePast()) PutTime(from.since, to.mutable_since());
  to.set_max_bytes(from.max_bytes);
  PutDuration(from.wait, to.mutable_wait());
}

void FromProto(v1::LogRequest& from, LogRequest& to, FieldCheck& check) {
  Inner(from.mutable_from(), to.from, "from", check);
  Inner(from.mutable_key(), to.key, "key", check);
  to.container = std::move(*from.mutable_container());
  to.attempt = from.attempt();
  to.offset = from.offset();
  to.tail_lines = from.tail_lines();
  if (from.has_since()) to.since = TakeTime(from.since(), "since", check);
  to.max_bytes = from.max_bytes();
  to.wait = TakeDuration(from.wait(), "wait", check);
  check.That(to.attempt >= -2, "attempt", "is below -2");
  check.That(to.offset >= 0, "offset", "is negative");
  check.That(to.tail_lines >= -1, "tail_lines", "is below -1");
  check.That(to.max_bytes > 0, "max_bytes", "is not positive");
}

void ToProto(const LogMark& from, v1::LogMark& to) {
  PutTime(from.time, to.mutable_time());
  to.set_size(from.size);
}

void FromProto(v1::LogMark& from, LogMark& to, FieldCheck& check) {
  to.time = TakeTime(from.time(), "time", check);
  to.size = from.size();
  check.That(to.size >= 0, "size", "is negative");
}

void ToProto(const LogReply& from, v1::LogReply& to) {
  ToProto(from.by, *to.mutable_by());
  to.set_known(from.known);
  to.set_message(Text(from.message));
  to.set_attempt(from.attempt);
  to.set_offset(from.offset);
  to.set_bytes(from.bytes);
  to.set_next_offset(from.next_offset);
  to.set_end(from.end);
  PutAll(from.marks, to.mutable_marks());
}

void FromProto(v1::LogReply& from, LogReply& to, FieldCheck& check) {
  Inner(from.mutable_by(), to.by, "by", check);
  to.known = from.known();
  to.message = std::move(*from.mutable_message());
  to.attempt = from.attempt();
  to.offset = from.offset();
  to.bytes = std::move(*from.mutable_bytes());
  to.next_offset = from.next_offset();
  to.end = from.end();
  InnerAll(from.mutable_marks(), to.marks, "marks", check);
  check.That(to.offset >= 0, "offset", "is negative");
  // A reader asks from there on: going back would repeat, for ever.
  check.That(to.next_offset >= to.offset, "next_offset", "is before offset");
}

}  // namespace podferry::wire
