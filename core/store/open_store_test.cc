#include "core/store/open_store.h"

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "core/base/testing/fake_clock.h"
#include "core/base/testing/status_matchers.h"
#include "core/os/posix_file_system.h"
#include "core/os/testing/fake_event_loop.h"
#include "core/os/testing/fake_file_system.h"
#include "core/os/testing/inline_worker_pool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class OpenStoreTest : public testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<Store>> Open(const std::string& state) {
    return OpenStore(state, files_, loop_, pool_);
  }

  FakeClock clock_;
  FakeEventLoop loop_{clock_};
  FakeFileSystem files_;
  InlineWorkerPool pool_{loop_};
};

TEST_F(OpenStoreTest, OpensAFolderOnlyItsOwnerMayEnter) {
  PODFERRY_ASSERT_OK_AND_ASSIGN(std::unique_ptr<Store> store, Open("/var/podferry"));
  EXPECT_EQ(files_.Stat("/var/podferry")->mode, 0700u);
  EXPECT_EQ(files_.Stat("/var/podferry/journal")->mode, 0700u);
  std::optional<absl::Status> written;
  store->Write({Mutation::Put("a", "1")}, [&](absl::Status status) { written = status; });
  ASSERT_TRUE(loop_.RunUntil([&] { return written.has_value(); }));
  EXPECT_THAT(*written, IsOk());
  EXPECT_TRUE(store->health().ready);
}

TEST_F(OpenStoreTest, AJournalThatWasEmptiedIsNoFreshStart) {
  std::unique_ptr<Store> store = *Open("/state");
  EXPECT_TRUE(store->health().ready);
  store.reset();
  store = *Open("/state");
  EXPECT_TRUE(store->health().ready) << "nothing was ever written";
  bool written = false;
  store->Write({Mutation::Put("a", "1")}, [&](absl::Status status) { written = status.ok(); });
  ASSERT_TRUE(loop_.RunUntil([&] { return written; }));
  loop_.RunUntilIdle();
  store.reset();
  const std::vector<std::string> names = *files_.ListDir("/state/journal");
  for (const std::string& name : names) {
    files_.TruncateFile("/state/journal/" + name, 0);
  }
  store = *Open("/state");
  EXPECT_FALSE(store->health().ready);
  EXPECT_THAT(store->health().reason, HasSubstr("empty although it has held records"));
  EXPECT_THAT(store->health().damage, Contains(HasSubstr("they are lost")));
  written = false;
  store->Write({Mutation::Put("a", "1")}, [&](absl::Status status) { written = status.ok(); });
  ASSERT_TRUE(loop_.RunUntil([&] { return written; }));
  store.reset();
  EXPECT_TRUE((*Open("/state"))->health().ready) << "reported once";
}

TEST(RemoveOldDamagedTest, RemovesWhatWasPutAsideLongAgoAndNothingElse) {
  PosixFileSystem files;
  std::string folder = testing::TempDir() + "/damaged-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  EXPECT_FALSE(RemoveOldDamaged(folder + "/none", files, absl::Now()));
  EXPECT_FALSE(RemoveOldDamaged(folder, files, absl::Now()));
  for (const char* name : {"journal-1.log", "journal-1.log.damaged", "body-2.bin.damaged"}) {
    ASSERT_THAT(files.WriteFileAtomic(absl::StrCat(folder, "/", name), "x", 0600), IsOk());
  }
  EXPECT_TRUE(RemoveOldDamaged(folder, files, absl::Now() + absl::Hours(24 * 89)));
  EXPECT_THAT(*files.ListDir(folder), SizeIs(3));
  EXPECT_TRUE(RemoveOldDamaged(folder, files, absl::Now() + absl::Hours(24 * 91)));
  EXPECT_THAT(*files.ListDir(folder), ElementsAre("journal-1.log"));
  EXPECT_THAT(files.RemoveAll(folder), IsOk());
}

TEST_F(OpenStoreTest, AFolderIsOpenedByOneProcessAtATime) {
  PODFERRY_ASSERT_OK_AND_ASSIGN(std::unique_ptr<Store> store, Open("/state"));
  EXPECT_THAT(Open("/state"), StatusIs(absl::StatusCode::kUnavailable,
                                       HasSubstr("/state/lock is held by another process")));
  store.reset();
  EXPECT_THAT(Open("/state"), IsOk());
}

TEST_F(OpenStoreTest, SaysWhatIsWrongWithAUrl) {
  EXPECT_THAT(Open(""), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(Open("rediss://u:secret@host"),
              StatusIs(absl::StatusCode::kInvalidArgument, Not(HasSubstr("secret"))));
  EXPECT_THAT(Open("redis+unix:/no/such/socket"), StatusIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace podferry
