#include "core/wire/convert_values.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "core/json/utf8.h"

namespace podferry::wire {
namespace {

constexpr int64_t kMinSeconds = -62135596800;  // 0001-01-01T00:00:00Z
constexpr int64_t kMaxSeconds = 253402300799;  // 9999-12-31T23:59:59Z
constexpr int64_t kMaxDurationSeconds = 315576000000;
constexpr int32_t kMaxNanos = 999'999'999;

}  // namespace

std::string Text(absl::string_view from) {
  size_t valid = json::ValidUtf8Prefix(from);
  if (valid == from.size()) return std::string(from);
  std::string text;
  while (true) {
    text.append(from.data(), valid);
    from.remove_prefix(valid);
    if (from.empty()) return text;
    text += "\xEF\xBF\xBD";
    from.remove_prefix(1);
    valid = json::ValidUtf8Prefix(from);
  }
}

void PutMap(const std::map<std::string, std::string>& from, ProtoMap* to) {
  for (const auto& [key, value] : from) (*to)[Text(key)] = Text(value);
}

std::map<std::string, std::string> TakeMap(ProtoMap* from) {
  std::map<std::string, std::string> to;
  for (auto& [key, value] : *from) to.emplace(key, std::move(value));
  return to;
}

void PutStrings(const std::vector<std::string>& from, ProtoStrings* to) {
  for (const std::string& text : from) *to->Add() = Text(text);
}

std::vector<std::string> TakeStrings(ProtoStrings* from) {
  return {std::make_move_iterator(from->begin()), std::make_move_iterator(from->end())};
}

void PutTime(absl::Time from, google::protobuf::Timestamp* to) {
  const absl::Time time =
      std::clamp(from, absl::FromUnixSeconds(kMinSeconds), absl::FromUnixSeconds(kMaxSeconds));
  const int64_t seconds = absl::ToUnixSeconds(time);
  to->set_seconds(seconds);
  to->set_nanos(
      static_cast<int32_t>(absl::ToInt64Nanoseconds(time - absl::FromUnixSeconds(seconds))));
}

absl::Time TakeTime(const google::protobuf::Timestamp& from, absl::string_view field,
                    FieldCheck& check) {
  check.That(from.seconds() >= kMinSeconds && from.seconds() <= kMaxSeconds && from.nanos() >= 0 &&
                 from.nanos() <= kMaxNanos,
             field, "no time between the years 1 and 9999");
  return absl::FromUnixSeconds(from.seconds()) + absl::Nanoseconds(from.nanos());
}

void PutDuration(absl::Duration from, google::protobuf::Duration* to) {
  absl::Duration rest = std::clamp(from, absl::ZeroDuration(), absl::Seconds(kMaxDurationSeconds));
  to->set_seconds(absl::IDivDuration(rest, absl::Seconds(1), &rest));
  to->set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(rest)));
}

absl::Duration TakeDuration(const google::protobuf::Duration& from, absl::string_view field,
                            FieldCheck& check) {
  check.That(from.seconds() >= 0 && from.seconds() <= kMaxDurationSeconds && from.nanos() >= 0 &&
                 from.nanos() <= kMaxNanos,
             field, "no duration between 0 and 10,000 years");
  return absl::Seconds(from.seconds()) + absl::Nanoseconds(from.nanos());
}

}  // namespace podferry::wire
