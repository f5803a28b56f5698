// NATS' rules for subjects: tokens between dots, "*" stands for one token, a last ">" for one or
// more. Pure functions, any thread. Source: NATS' documentation of subject-based messaging.

#ifndef PODFERRY_CORE_NATS_SUBJECT_MATCH_H_
#define PODFERRY_CORE_NATS_SUBJECT_MATCH_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace podferry {

// InvalidArgument for what cannot be published to: empty, empty tokens, blanks, control characters,
// wildcards, over 2 KiB (a server takes protocol lines up to 4 KiB, and two subjects go on one).
absl::Status CheckPublishSubject(absl::string_view subject);

// The same with wildcards allowed where they stand for whole tokens.
absl::Status CheckSubscribeSubject(absl::string_view subject);

// InvalidArgument for a name of a queue group with blanks or control characters. Empty is allowed.
absl::Status CheckQueueGroup(absl::string_view group);

// Whether a subscription to `pattern` hears `subject`. Both have passed their checks.
bool SubjectMatches(absl::string_view pattern, absl::string_view subject);

}  // namespace podferry

#endif  // PODFERRY_CORE_NATS_SUBJECT_MATCH_H_
