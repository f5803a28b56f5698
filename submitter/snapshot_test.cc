#include "submitter/snapshot.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "submitter/test_site.h"

namespace podferry {
namespace {

using ::testing::Not;
using ::testing::SizeIs;

TEST(SnapshotTest, ASnapshotHasAllJobsOfTheAskingOriginPageByPage) {
  TestSite site;
  for (int i = 0; i < 600; ++i) {
    const std::string uid = absl::StrCat("job-", i);
    ASSERT_TRUE(site.SendOffer(uid, 1)->reserved);
    ASSERT_TRUE(site.SendStart(uid, 1)->started);
  }
  site.plugin = {"other", 1};
  site.RunJob("foreign");
  site.plugin = {"origin", 1};
  site.SendDelete("job-7");
  site.loop().Advance(absl::Seconds(1));
  SyncRequest request{.from = site.plugin};
  std::vector<std::string> uids;
  std::optional<uint64_t> number;
  int pages = 0;
  do {
    const auto page = site.Ask<SyncReply>(site.subjects().Sync(site.kPool), request);
    ASSERT_TRUE(page.has_value());
    ASSERT_EQ(page->jobs.size(), page->statuses.size());
    for (size_t i = 0; i < page->jobs.size(); ++i) {
      EXPECT_EQ(page->jobs[i].key, page->statuses[i].key);
      uids.push_back(page->jobs[i].key.uid);
    }
    EXPECT_EQ(page->last_number, number.value_or(page->last_number));
    number = page->last_number;
    request.page_token = page->next_page_token;
    request.only = page->by.id;
    // What happens meanwhile is told by deltas after that number.
    site.backend().End(site.Key(absl::StrCat("job-", 100 + pages)), 0);
    ++pages;
  } while (!request.page_token.empty() && pages < 100);
  EXPECT_GT(pages, 1);
  EXPECT_THAT(uids, SizeIs(599));
  EXPECT_THAT(uids, Not(testing::Contains("foreign")));
}

TEST(SnapshotTest, ASnapshotOfAnotherSubmitterIsNotAnswered) {
  TestSite site;
  EXPECT_FALSE(site.Ask<SyncReply>(site.subjects().Sync(site.kPool),
                                   SyncRequest{.from = site.plugin, .only = "somebody-else"})
                   .has_value());
}

}  // namespace
}  // namespace podferry
