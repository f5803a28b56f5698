// What each runtime makes of the fields of a pod: one table, for the planner and for the user
// documentation. A field that is in no row is honoured, or says nothing about how the pod runs at a
// pool (ports, scheduling, image pull settings of a runtime without images).

#ifndef PODFERRY_CORE_TRANSLATE_SUPPORTED_FIELDS_H_
#define PODFERRY_CORE_TRANSLATE_SUPPORTED_FIELDS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/base/issues.h"
#include "core/pool/build_config.h"

namespace podferry {

enum class Support {
  kHonoured,
  kIgnored,  // the pod runs without it, with a warning
  kRefused,
  kIfAllowed,  // honoured where the pool's BuildConfig allows it, else refused
};

struct FieldSupport {
  absl::string_view field;  // "spec.containers[].tty"; init containers are containers, too
  Support host;
  Support apptainer;
  Support podman;
  absl::string_view words;  // why not, and the way out
};

absl::Span<const FieldSupport> SupportedFields();

// The table as the user documentation has it (docs/pods.md), in Markdown. A runtime that is not
// among the available ones refuses every pod.
std::string SupportedFieldsPage(absl::Span<const RuntimeKind> available);

// Collects what a pod's use of fields comes to under one runtime. Owned by one planning.
class FieldReport {
 public:
  explicit FieldReport(RuntimeKind runtime) : runtime_(runtime) {}

  // The pod uses `field` (a row's name) at `path`; `is_allowed`: the pool's BuildConfig lets it. A
  // name without a row is a programming error and refused.
  void Uses(absl::string_view field, absl::string_view path, bool is_allowed = false);

  void Refuse(absl::string_view path, absl::string_view words) { issues_.Add(path, words); }
  void Warn(absl::string_view path, absl::string_view words);

  const Issues& issues() const { return issues_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  RuntimeKind runtime_;
  Issues issues_;
  std::vector<std::string> warnings_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_SUPPORTED_FIELDS_H_
