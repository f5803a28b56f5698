#include "tools/load/latencies.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace podferry::load {

uint32_t Percentile(const std::vector<uint32_t>& sorted_us, double fraction) {
  if (sorted_us.empty()) return 0;
  const double rank = std::ceil(fraction * static_cast<double>(sorted_us.size()));
  const size_t index = std::max<size_t>(1, static_cast<size_t>(rank)) - 1;
  return sorted_us[std::min(index, sorted_us.size() - 1)];
}

bool AllGood(const Outcome& outcome) {
  for (const auto& [code, count] : outcome.codes) {
    if (code != 200) return false;
  }
  return outcome.broken == 0;
}

std::string Report(Outcome outcome, size_t pods_per_request) {
  std::sort(outcome.latencies_us.begin(), outcome.latencies_us.end());
  const auto milliseconds = [&](double fraction) {
    return absl::StrFormat("%.3f ms", Percentile(outcome.latencies_us, fraction) / 1000.0);
  };
  const size_t answered = outcome.latencies_us.size();
  const double seconds = std::max(absl::ToDoubleSeconds(outcome.elapsed), 1e-9);
  std::string report = absl::StrFormat("answered  %d in %.2f s\n", answered, seconds);
  for (const auto& [code, count] : outcome.codes) {
    absl::StrAppendFormat(&report, "HTTP %d  %d\n", code, count);
  }
  absl::StrAppendFormat(&report, "broken    %d\nrate      %.0f requests/s\n", outcome.broken,
                        answered / seconds);
  if (pods_per_request > 1) {
    absl::StrAppendFormat(&report, "pods      %.0f pods/s\n",
                          pods_per_request * answered / seconds);
  }
  absl::StrAppend(&report, "p50       ", milliseconds(0.5), "\np90       ", milliseconds(0.9),
                  "\np99       ", milliseconds(0.99), "\nmax       ", milliseconds(1), "\n");
  absl::StrAppendFormat(&report, "own CPU   %.2f s\n", absl::ToDoubleSeconds(outcome.cpu));
  if (!outcome.first_error.empty()) {
    absl::StrAppend(&report, "first error: ", outcome.first_error, "\n");
  }
  return report;
}

}  // namespace podferry::load
