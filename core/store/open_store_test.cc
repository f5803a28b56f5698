#include "core/store/open_store.h"

#include <memory>
#include <optional>
#include <string>

#include "core/base/testing/fake_clock.h"
#include "core/base/testing/status_matchers.h"
#include "core/os/testing/fake_event_loop.h"
#include "core/os/testing/fake_file_system.h"
#include "core/os/testing/inline_worker_pool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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
