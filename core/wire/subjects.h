#ifndef PODFERRY_CORE_WIRE_SUBJECTS_H_
#define PODFERRY_CORE_WIRE_SUBJECTS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace podferry::wire {

// One token of a subject: [A-Za-z0-9_-] stay, every other byte becomes =XX (upper-case hex). An
// empty text becomes "=".
std::string EncodeToken(absl::string_view text);
// The way back; InvalidArgument for what EncodeToken never writes.
absl::StatusOr<std::string> DecodeToken(absl::string_view token);

// The subjects of the protocol under one prefix (design: default "interlink"; tokens are encoded
// here, nowhere else). The prefix may itself have dots. `job` is JobDescription::SubjectName().
// Each is used by the side that sends to it; the wildcard forms are what the other side subscribes
// to.
class Subjects {
 public:
  explicit Subjects(absl::string_view prefix) : prefix_(prefix) {}

  std::string Create(absl::string_view pool, absl::string_view job) const;
  std::string AllCreates(
      absl::string_view pool) const;  // P.create.<pool>.*; queue group: the pool's token
  std::string Job(absl::string_view pool, absl::string_view submitter, absl::string_view verb,
                  absl::string_view job) const;
  std::string AllJobs(absl::string_view pool, absl::string_view submitter,
                      absl::string_view verb) const;  // P.job.<pool>.<S>.<verb>.*
  std::string Bundle(absl::string_view pool, absl::string_view origin, absl::string_view job) const;
  std::string AllBundles(absl::string_view origin) const;  // P.bundle.*.<origin>.*
  std::string Find(absl::string_view pool, absl::string_view job) const;
  std::string AllFinds(absl::string_view pool) const;
  std::string Events(absl::string_view pool) const;  // AllEvents: P.events.*
  std::string AllEvents() const;
  std::string Sync(absl::string_view pool) const;
  std::string Config(absl::string_view pool) const;
  std::string AllConfigs() const;
  std::string Resources(absl::string_view pool) const;
  std::string AllResources() const;
  std::string Shutdown(absl::string_view subject) const;

  // The pool of a subject such as P.events.<pool>, of the third kind of token; NotFound when it is
  // none of ours.
  absl::StatusOr<std::string> PoolOf(absl::string_view subject) const;

  // InvalidArgument, with the reason, for a prefix that NATS would refuse or that has wildcards.
  static absl::Status CheckPrefix(absl::string_view prefix);

 private:
  std::string prefix_;
};

}  // namespace podferry::wire

#endif  // PODFERRY_CORE_WIRE_SUBJECTS_H_
