#include "core/nats/subject_match.h"

#include <cstddef>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace podferry {
namespace {

constexpr size_t kMaxSubject = 2048;

absl::Status Bad(absl::string_view subject, absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("subject \"", absl::CHexEscape(subject.substr(0, 256)), "\" ", why));
}

bool HasBlank(absl::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte == 0x7f) return true;
  }
  return false;
}

absl::Status Check(absl::string_view subject, bool wildcards) {
  if (subject.empty()) return Bad(subject, "is empty");
  if (subject.size() > kMaxSubject) {
    return Bad(subject, absl::StrCat("has ", subject.size(), " bytes, over ", kMaxSubject));
  }
  if (HasBlank(subject)) return Bad(subject, "has a blank or a control character");
  bool ended = false;
  for (const absl::string_view token : absl::StrSplit(subject, '.')) {
    if (ended) return Bad(subject, "goes on after '>'");
    if (token.empty()) return Bad(subject, "has an empty token");
    if (token == "*" || token == ">") {
      if (!wildcards) return Bad(subject, "has a wildcard");
      ended = token == ">";
    }
  }
  return absl::OkStatus();
}

// Cuts the first token off.
absl::string_view NextToken(absl::string_view& rest) {
  const size_t dot = rest.find('.');
  const absl::string_view token = rest.substr(0, dot);
  rest = dot == absl::string_view::npos ? absl::string_view() : rest.substr(dot + 1);
  return token;
}

}  // namespace

absl::Status CheckPublishSubject(absl::string_view subject) { return Check(subject, false); }
absl::Status CheckSubscribeSubject(absl::string_view subject) { return Check(subject, true); }

absl::Status CheckQueueGroup(absl::string_view group) {
  if (!HasBlank(group)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("queue group \"",
                                                 absl::CHexEscape(group.substr(0, 256)),
                                                 "\" has a blank or a control character"));
}

bool SubjectMatches(absl::string_view pattern, absl::string_view subject) {
  while (!pattern.empty() && !subject.empty()) {
    const absl::string_view want = NextToken(pattern);
    if (want == ">") return true;
    const absl::string_view token = NextToken(subject);
    if (want != "*" && want != token) return false;
  }
  return pattern.empty() && subject.empty();
}

}  // namespace podferry
