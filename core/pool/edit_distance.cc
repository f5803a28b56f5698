#include "core/pool/edit_distance.h"

#include <algorithm>
#include <limits>

namespace podferry {
namespace {

// Nearer than any other.
constexpr long kSlip = -2000;
constexpr long kPartOfTheOther = -1000;
constexpr size_t kMostSlips = 2;

// Whether `part` stands in `whole`, with underscores or the ends around it.
bool IsPart(absl::string_view part, absl::string_view whole) {
  if (part.size() < 3) return false;
  for (size_t at = whole.find(part); at != absl::string_view::npos; at = whole.find(part, at + 1)) {
    const size_t end = at + part.size();
    if ((at == 0 || whole[at - 1] == '_') && (end == whole.size() || whole[end] == '_'))
      return true;
  }
  return false;
}

long Distance(absl::string_view word, absl::string_view candidate) {
  const size_t edits = EditDistance(word, candidate);
  if (edits <= kMostSlips && edits * 3 <= word.size()) return kSlip + static_cast<long>(edits);
  // Of several, the one that shares most.
  if (IsPart(word, candidate) || IsPart(candidate, word)) {
    return kPartOfTheOther + static_cast<long>(edits);
  }
  const auto differ =
      std::mismatch(word.begin(), word.end(), candidate.begin(), candidate.end()).first;
  return static_cast<long>(edits) - (differ - word.begin());
}

}  // namespace

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
    const long distance = Distance(word, candidate);
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace podferry
