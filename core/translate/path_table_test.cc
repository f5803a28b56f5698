#include "core/translate/path_table.h"

#include <string>

#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using testing::HasSubstr;

class PathTableTest : public testing::Test {
 protected:
  PathTableTest() { pod_.namespace_name = "physics"; }
  PathTable Table() const { return PathTable(paths_, pod_); }
  // Where a path leads: "<base>:<rest>", with " ro"; or the words of the refusal.
  static std::string Show(const absl::StatusOr<PoolFolder>& folder) {
    if (!folder.ok()) return std::string(folder.status().message());
    return folder->base + ":" + folder->rest + (folder->read_only ? " ro" : "");
  }

  PathOptions paths_;
  ObjectMeta pod_;
};

TEST_F(PathTableTest, AnEmptyTableHasNothingAndSaysWhereItWouldStand) {
  EXPECT_THAT(Show(Table().HostPath("/data")), HasSubstr("[paths] host_paths"));
  EXPECT_THAT(Show(Table().Claim("home")), HasSubstr("claim physics/home"));
  EXPECT_THAT(Show(Table().Nfs("nas", "/x")), HasSubstr("nas:/x"));
}

TEST_F(PathTableTest, TheLongestPrefixWinsAndEndsAtASlash) {
  paths_.host_paths = {{"/data", "/srv/data"}, {"/data/big/", "/lustre/big"}};
  EXPECT_EQ(Show(Table().HostPath("/data")), "/srv/data:");
  EXPECT_EQ(Show(Table().HostPath("//data/./a/b/")), "/srv/data:a/b");
  EXPECT_EQ(Show(Table().HostPath("/data/big/c")), "/lustre/big:c");
  EXPECT_EQ(Show(Table().HostPath("/data/bigger")), "/srv/data:bigger");
  EXPECT_THAT(Show(Table().HostPath("/database")), HasSubstr("no folder for /database"));
  EXPECT_THAT(Show(Table().HostPath("/data/../etc")), HasSubstr("without .."));
  EXPECT_THAT(Show(Table().HostPath("data")), HasSubstr("absolute"));
}

TEST_F(PathTableTest, TheRootIsAPrefixToo) {
  paths_.host_paths = {{"/", "/"}};
  EXPECT_EQ(Show(Table().HostPath("/etc/hosts")), "/:etc/hosts");
}

TEST_F(PathTableTest, AClaimIsFoundByItsNameThenItsNamespaceThenAnyway) {
  paths_.claims = {{"physics/home", "/home/ph"},
                   {"physics/*", "/srv/%(namespace)s/%(name)s"},
                   {"*/*", "/all/%(namespace)s-%(name)s"}};
  EXPECT_EQ(Show(Table().Claim("home")), "/home/ph:");
  EXPECT_EQ(Show(Table().Claim("raw")), "/srv/physics/raw:");
  EXPECT_EQ(Table().Claim("raw")->type, "Directory");
  pod_.namespace_name = "other";
  EXPECT_EQ(Show(Table().Claim("home")), "/all/other-home:");
}

TEST_F(PathTableTest, ExportsOfOneServerAreNotThoseOfAnother) {
  paths_.nfs = {{"nas:/export", "/nfs/export"}};
  EXPECT_EQ(Show(Table().Nfs("nas", "/export/a")), "/nfs/export:a");
  EXPECT_THAT(Show(Table().Nfs("as", "/export/a")), HasSubstr("no folder"));
  EXPECT_THAT(Show(Table().Nfs("nas2", "/export")), HasSubstr("no folder"));
}

TEST_F(PathTableTest, AFolderForEachUserWantsTheLabel) {
  paths_.host_paths = {{"/home", "/home/%(user)s"}};
  EXPECT_THAT(Show(Table().HostPath("/home")), HasSubstr("label \"user\""));
  pod_.labels["user"] = "..";
  EXPECT_THAT(Show(Table().HostPath("/home")), HasSubstr("label \"user\""));
  pod_.labels["user"] = "ann";
  EXPECT_EQ(Show(Table().HostPath("/home")), "/home/ann:");
}

TEST_F(PathTableTest, WhatIsReadOnlyStaysSoFromAboveAndBelow) {
  paths_.host_paths = {{"/ref", "/srv/ref"}, {"/srv", "/srv"}, {"/tmp", "/scratch"}};
  paths_.read_only = {"/srv/ref"};
  EXPECT_EQ(Show(Table().HostPath("/ref")), "/srv/ref: ro");
  EXPECT_EQ(Show(Table().HostPath("/srv/ref/a")), "/srv:ref/a ro");
  EXPECT_EQ(Show(Table().HostPath("/srv")), "/srv: ro");
  EXPECT_EQ(Show(Table().HostPath("/srv/other")), "/srv:other");
  EXPECT_EQ(Show(Table().HostPath("/tmp/x")), "/scratch:x");
  // A link below a writable folder could lead to it.
  EXPECT_FALSE(Table().HostPath("/tmp/x")->has_links);
}

}  // namespace
}  // namespace podferry
