#include "submitter/host/unmount.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr char kMountInfo[] =
    "21 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"
    "36 21 0:30 / /srv/box/mounts/a rw,nosuid - fuse x rw\n"
    "37 36 0:31 / /srv/box/mounts/a/b\\040\\134c rw - fuse y rw\n"
    "38 21 0:32 / /srv/boxes/mounts/z rw - fuse z rw\n"
    "39 21 0:33 / /srv/box rw - tmpfs t rw\n"
    "\n";

TEST(MountsBelowTest, AreThoseBelowTheFolderTheInnermostFirst) {
  EXPECT_THAT(MountsBelow(kMountInfo, "/srv/box"),
              ElementsAre("/srv/box/mounts/a/b \\c", "/srv/box/mounts/a"));
  EXPECT_THAT(MountsBelow(kMountInfo, "/srv/none"), IsEmpty());
}

}  // namespace
}  // namespace podferry
