#include "core/base/testing/golden.h"

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_split.h"

namespace podferry {
namespace {

// Tests run in the root of their runfiles, where paths are those of the repository.
std::optional<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

testing::AssertionResult UpdateGolden(absl::string_view actual, const std::string& path) {
  const char* root = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (root == nullptr) {
    return testing::AssertionFailure() << "golden files can be updated under \"bazel run\" only";
  }
  const std::filesystem::path target = std::filesystem::path(root) / path;
  std::error_code ignored;
  std::filesystem::create_directories(target.parent_path(), ignored);
  std::ofstream file(target, std::ios::binary | std::ios::trunc);
  file.write(actual.data(), static_cast<std::streamsize>(actual.size()));
  file.close();
  if (!file) return testing::AssertionFailure() << "cannot write " << target;
  return testing::AssertionSuccess();
}

}  // namespace

testing::AssertionResult MatchesGolden(absl::string_view actual, const std::string& path) {
  if (std::getenv("PODFERRY_UPDATE_GOLDEN") != nullptr) return UpdateGolden(actual, path);
  const std::optional<std::string> golden = ReadFile(path);
  if (!golden.has_value()) {
    return testing::AssertionFailure()
           << "no golden file " << path
           << "; make it with PODFERRY_UPDATE_GOLDEN=1 bazel run, and name it in the test's data";
  }
  if (actual == *golden) return testing::AssertionSuccess();

  const std::vector<absl::string_view> got = absl::StrSplit(actual, '\n');
  const std::vector<absl::string_view> want = absl::StrSplit(*golden, '\n');
  size_t line = 0;
  while (line < got.size() && line < want.size() && got[line] == want[line]) ++line;
  const auto show = [line](const std::vector<absl::string_view>& lines) {
    return line < lines.size() ? absl::CHexEscape(lines[line]) : std::string("(no such line)");
  };
  return testing::AssertionFailure()
         << "differs from " << path << ":" << line + 1 << "\n  want: " << show(want)
         << "\n  got:  " << show(got) << "\nIf that is right: PODFERRY_UPDATE_GOLDEN=1 bazel run";
}

std::string ReadTestData(const std::string& path) {
  std::optional<std::string> content = ReadFile(path);
  if (!content.has_value()) ADD_FAILURE() << "no file " << path << " in the test's data";
  return std::move(content).value_or("");
}

}  // namespace podferry
