#include "core/job/job_status.h"

namespace podferry {
namespace {

template <typename Enum>
struct Word {
  Enum value;
  absl::string_view text;
};

// The first of each table is what an unknown value or word is taken for.
constexpr Word<JobPhase> kPhases[] = {
    {JobPhase::kUnspecified, "Unspecified"}, {JobPhase::kQueued, "Queued"},
    {JobPhase::kReserved, "Reserved"},       {JobPhase::kSubmitted, "Submitted"},
    {JobPhase::kRunning, "Running"},         {JobPhase::kSucceeded, "Succeeded"},
    {JobPhase::kFailed, "Failed"},           {JobPhase::kDeleted, "Deleted"},
};

constexpr Word<FailureReason> kReasons[] = {
    {FailureReason::kUnspecified, "Unspecified"},
    {FailureReason::kError, "Error"},
    {FailureReason::kOomKilled, "OOMKilled"},
    {FailureReason::kDeadlineExceeded, "DeadlineExceeded"},
    {FailureReason::kNodeLost, "NodeLost"},
    {FailureReason::kSubmitRejected, "SubmitRejected"},
    {FailureReason::kEvicted, "Evicted"},
    {FailureReason::kHeld, "Held"},
};

template <typename Enum, int N>
absl::string_view TextOf(const Word<Enum> (&words)[N], Enum value) {
  for (const Word<Enum>& word : words) {
    if (word.value == value) return word.text;
  }
  return words[0].text;
}

template <typename Enum, int N>
Enum ValueOf(const Word<Enum> (&words)[N], absl::string_view text) {
  for (const Word<Enum>& word : words) {
    if (word.text == text) return word.value;
  }
  return words[0].value;
}

}  // namespace

bool IsFinal(JobPhase phase) {
  return phase == JobPhase::kSucceeded || phase == JobPhase::kFailed || phase == JobPhase::kDeleted;
}

absl::string_view ToString(JobPhase phase) { return TextOf(kPhases, phase); }
absl::string_view ToString(FailureReason reason) { return TextOf(kReasons, reason); }
JobPhase ParseJobPhase(absl::string_view text) { return ValueOf(kPhases, text); }
FailureReason ParseFailureReason(absl::string_view text) { return ValueOf(kReasons, text); }

}  // namespace podferry
