#include "core/translate/downward_api.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/quantity/quantity.h"

namespace podferry {
namespace {

// As Go's %q writes it, for what labels and annotations hold.
std::string GoQuote(absl::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
      case '\\':
        quoted.push_back('\\');
        quoted.push_back(c);
        break;
      case '\n':
        quoted.append("\\n");
        break;
      case '\t':
        quoted.append("\\t");
        break;
      case '\r':
        quoted.append("\\r");
        break;
      default:
        quoted.push_back(c);
    }
  }
  quoted.push_back('"');
  return quoted;
}

std::string MapLines(const StringMap& map) {
  std::string lines;
  for (const auto& [key, value] : map) {
    absl::StrAppend(&lines, lines.empty() ? "" : "\n", key, "=", GoQuote(value));
  }
  return lines;
}

// "['key']" after "metadata.labels".
std::optional<std::string> MapEntry(const StringMap& map, absl::string_view subscript) {
  if (!absl::ConsumePrefix(&subscript, "['") || !absl::ConsumeSuffix(&subscript, "']")) {
    return std::nullopt;
  }
  const auto found = map.find(std::string(subscript));
  return found == map.end() ? std::string() : found->second;
}

}  // namespace

std::optional<std::string> PodFieldValue(const Pod& pod, absl::string_view field_path) {
  absl::string_view rest = field_path;
  if (absl::ConsumePrefix(&rest, "metadata.labels")) {
    return rest.empty() ? MapLines(pod.metadata.labels) : MapEntry(pod.metadata.labels, rest);
  }
  if (absl::ConsumePrefix(&rest, "metadata.annotations")) {
    return rest.empty() ? MapLines(pod.metadata.annotations)
                        : MapEntry(pod.metadata.annotations, rest);
  }
  const struct {
    absl::string_view path;
    const std::string& value;
  } fields[] = {
      {"metadata.name", pod.metadata.name},
      {"metadata.namespace", pod.metadata.namespace_name},
      {"metadata.uid", pod.metadata.uid},
      {"spec.nodeName", pod.spec.node_name},
      {"spec.serviceAccountName", pod.spec.service_account_name},
      {"status.hostIP", pod.status.host_ip},
      {"status.hostIPs", pod.status.host_ip},
      {"status.podIP", pod.status.pod_ip},
      {"status.podIPs", pod.status.pod_ip},
  };
  for (const auto& field : fields) {
    if (field.path == field_path) return field.value;
  }
  return std::nullopt;
}

std::optional<std::string> ContainerResourceValue(const Container& container,
                                                  absl::string_view resource,
                                                  absl::string_view divisor) {
  const bool is_limit = absl::ConsumePrefix(&resource, "limits.");
  if (!is_limit && !absl::ConsumePrefix(&resource, "requests.")) return std::nullopt;
  const StringMap& amounts = is_limit ? container.resources.limits : container.resources.requests;
  const auto amount = amounts.find(std::string(resource));
  if (amount == amounts.end()) return std::nullopt;

  const absl::StatusOr<Quantity> value = Quantity::Parse(amount->second);
  const absl::StatusOr<Quantity> unit =
      Quantity::Parse(divisor.empty() || divisor == "0" ? "1" : divisor);
  if (!value.ok() || !unit.ok()) return std::nullopt;
  const bool in_thousandths = resource == "cpu";
  const int64_t total = in_thousandths ? value->MilliValue() : value->CeilValue();
  const int64_t step = in_thousandths ? unit->MilliValue() : unit->CeilValue();
  if (step <= 0 || total < 0) return std::nullopt;
  return absl::StrCat(total / step + (total % step != 0 ? 1 : 0));
}

}  // namespace podferry
