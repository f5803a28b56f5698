#include "core/pool/edit_distance.h"

#include <algorithm>
#include <limits>

namespace podferry {

size_t EditDistance(absl::string_view a, absl::string_view b) {
  // rows[i % 3][j]: the distance of the first i characters of `a` and the first j of `b`.
  std::vector<std::vector<size_t>> rows(3, std::vector<size_t>(b.size() + 1));
  for (size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    std::vector<size_t>& row = rows[i % 3];
    const std::vector<size_t>& above = rows[(i + 2) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], rows[(i + 1) % 3][j - 2] + 1);
      }
    }
  }
  return rows[a.size() % 3][b.size()];
}

absl::string_view NearestWord(absl::string_view word, const std::vector<absl::string_view>& words) {
  absl::string_view nearest;
  long least = std::numeric_limits<long>::max();
  for (const absl::string_view candidate : words) {
    const auto differ =
        std::mismatch(word.begin(), word.end(), candidate.begin(), candidate.end()).first;
    const long distance =
        static_cast<long>(EditDistance(word, candidate)) - (differ - word.begin());
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace podferry
