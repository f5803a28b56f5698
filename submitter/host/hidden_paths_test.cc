#include "submitter/host/hidden_paths.h"

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

TEST(HiddenPathsTest, AreOneALineWithoutWhatLiesBelowAnother) {
  EXPECT_EQ(HiddenPaths({}), "");
  EXPECT_EQ(HiddenPaths({"", "/", "//"}), "");
  EXPECT_EQ(HiddenPaths({"/no/state/sandboxes", "/no/state/", "/no/statement", "/no/creds"}),
            "/no/state\n/no/creds\n/no/statement");
}

TEST(HiddenPathsTest, KeepLinesApartWhateverIsInThem) {
  EXPECT_EQ(HiddenPaths({"/no/a\nb", "/no/100%"}), "/no/a%0Ab\n/no/100%25");
}

TEST(HiddenPathsTest, LeadWhereLinksLead) {
  std::string folder = absl::StrCat(testing::TempDir(), "/hidden.XXXXXX");
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  folder = std::filesystem::canonical(folder).string();
  std::filesystem::create_directories(folder + "/real");
  std::filesystem::create_directory_symlink("real", folder + "/link");
  EXPECT_EQ(HiddenPaths({folder + "/link/state"}), folder + "/real/state");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace podferry
