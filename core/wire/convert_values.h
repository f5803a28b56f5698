// Strings, times and durations <-> Protobuf. Only for .cc files of this folder.

#ifndef PODFERRY_CORE_WIRE_CONVERT_VALUES_H_
#define PODFERRY_CORE_WIRE_CONVERT_VALUES_H_

#include <google/protobuf/duration.pb.h>
#include <google/protobuf/map.h>
#include <google/protobuf/repeated_ptr_field.h>
#include <google/protobuf/timestamp.pb.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/wire/field_check.h"

namespace podferry::wire {

// Protobuf's strings are UTF-8, and a message with one that is not can be read by nobody; a
// backend's own words may be anything. Each byte that is none becomes U+FFFD.
std::string Text(absl::string_view from);

using ProtoMap = google::protobuf::Map<std::string, std::string>;
void PutMap(const std::map<std::string, std::string>& from, ProtoMap* to);
std::map<std::string, std::string> TakeMap(ProtoMap* from);

using ProtoStrings = google::protobuf::RepeatedPtrField<std::string>;
void PutStrings(const std::vector<std::string>& from, ProtoStrings* to);
std::vector<std::string> TakeStrings(ProtoStrings* from);

// Times outside of the years 1 to 9999, the range of Timestamp, become its ends; nanoseconds stay.
void PutTime(absl::Time from, google::protobuf::Timestamp* to);
absl::Time TakeTime(const google::protobuf::Timestamp& from, absl::string_view field,
                    FieldCheck& check);

// Likewise for Duration's 10,000 years. A negative one is refused.
void PutDuration(absl::Duration from, google::protobuf::Duration* to);
absl::Duration TakeDuration(const google::protobuf::Duration& from, absl::string_view field,
                            FieldCheck& check);

// The numbers of our enums are those of the wire; one that a newer peer made up is Unspecified.
template <typename Enum, typename Proto>
Enum TakeEnum(Proto from, bool (*is_known)(int)) {
  return is_known(from) ? static_cast<Enum>(from) : Enum::kUnspecified;
}

}  // namespace podferry::wire

#endif  // PODFERRY_CORE_WIRE_CONVERT_VALUES_H_
