#ifndef PODFERRY_CORE_JOB_JOB_KEY_H_
#define PODFERRY_CORE_JOB_JOB_KEY_H_

#include <string>
#include <tuple>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace podferry {

// What names a job for ever: the cluster it came from and the pod's UID. There is no attempt
// number: containers restart inside the script, and a pod is never run twice.
//
// The origin is the UID of the cluster's kube-system namespace, else an id the plugin made and
// journalled; both parts are of [A-Za-z0-9-], 1 to 63 characters, so a key is safe as a file name
// and as a value of a scheduler's comment.
struct JobKey {
  std::string origin;
  std::string uid;

  // "origin/uid".
  std::string ToString() const;
  // "origin.uid": the form for file names, labels and schedulers' comments.
  std::string FileName() const;

  friend bool operator==(const JobKey& a, const JobKey& b) = default;
  friend bool operator<(const JobKey& a, const JobKey& b) {
    return std::tie(a.origin, a.uid) < std::tie(b.origin, b.uid);
  }
  template <typename H>
  friend H AbslHashValue(H h, const JobKey& key) {
    return H::combine(std::move(h), key.origin, key.uid);
  }
};

// Reads both forms back. InvalidArgument names what is wrong with the text.
absl::StatusOr<JobKey> ParseJobKey(absl::string_view text);

// True for a text that may be one part of a key.
bool IsKeyPart(absl::string_view text);

}  // namespace podferry

#endif  // PODFERRY_CORE_JOB_JOB_KEY_H_
