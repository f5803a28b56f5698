// Golden files: what a test produces next to what a reviewer has seen.
//
//   EXPECT_TRUE(MatchesGolden(script, "core/translate/testdata/simple.sh"));
//
// The file is a `data` of the test. To accept what the tests now produce, rewrite the files in the
// source tree: PODFERRY_UPDATE_GOLDEN=1 bazel run //core/translate:renderer_test, then read the
// diff.

#ifndef PODFERRY_CORE_BASE_TESTING_GOLDEN_H_
#define PODFERRY_CORE_BASE_TESTING_GOLDEN_H_

#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace podferry {

// Whether `actual` is, byte for byte, the file at `path` (from the repository root). If not, the
// failure shows the first line that differs.
testing::AssertionResult MatchesGolden(absl::string_view actual, const std::string& path);

// The content of a `data` file of the test, by its path from the repository root. A file that is
// not there fails the test.
std::string ReadTestData(const std::string& path);

}  // namespace podferry

#endif  // PODFERRY_CORE_BASE_TESTING_GOLDEN_H_
