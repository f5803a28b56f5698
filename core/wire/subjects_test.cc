#include "core/wire/subjects.h"

#include <string>

#include "core/base/testing/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry::wire {
namespace {

using ::testing::HasSubstr;

TEST(EncodeTokenTest, KeepsWhatIsPlainAndWritesTheRestInHex) {
  struct Case {
    std::string text;
    std::string token;
  };
  const Case cases[] = {
      {"hpc-1", "hpc-1"},         {"A_z-9", "A_z-9"},     {"", "="},
      {"a.b", "a=2Eb"},           {"*", "=2A"},           {">", "=3E"},
      {"a b", "a=20b"},           {"=", "=3D"},           {"=2A", "=3D2A"},
      {std::string(1, 0), "=00"}, {"\xc3\xa9", "=C3=A9"}, {"\r\n", "=0D=0A"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(EncodeToken(c.text), c.token);
    EXPECT_THAT(DecodeToken(c.token), IsOkAndHolds(c.text));
  }
}

TEST(EncodeTokenTest, EveryByteComesBackAndNoneIsSpecialToNats) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = {'x', static_cast<char>(byte)};
    const std::string token = EncodeToken(text);
    EXPECT_EQ(token.find_first_of(std::string(".*> \t\r\n\0", 8)), std::string::npos) << byte;
    EXPECT_THAT(DecodeToken(token), IsOkAndHolds(text));
  }
}

TEST(DecodeTokenTest, RefusesWhatEncodeNeverWrites) {
  for (const char* token :
       {"", "a.b", "*", "=2", "a=", "=2a", "=GG", "=41", "=2D", "x=5F", "a b"}) {
    EXPECT_THAT(DecodeToken(token), StatusIs(absl::StatusCode::kInvalidArgument)) << token;
  }
}

TEST(SubjectsTest, WritesTheTableOfTheProtocol) {
  const Subjects s("site.interlink");
  EXPECT_EQ(s.Create("hpc", "ns_pod.0_uid"), "site.interlink.create.hpc.ns_pod=2E0_uid");
  EXPECT_EQ(s.AllCreates("hpc"), "site.interlink.create.hpc.*");
  EXPECT_EQ(s.Job("hpc", "S1", "start", "j"), "site.interlink.job.hpc.S1.start.j");
  EXPECT_EQ(s.AllJobs("hpc", "S1", "start"), "site.interlink.job.hpc.S1.start.*");
  EXPECT_EQ(s.Bundle("hpc", "o-1", "j"), "site.interlink.bundle.hpc.o-1.j");
  EXPECT_EQ(s.AllBundles("o-1"), "site.interlink.bundle.*.o-1.*");
  EXPECT_EQ(s.Find("hpc", "j"), "site.interlink.find.hpc.j");
  EXPECT_EQ(s.AllFinds("hpc"), "site.interlink.find.hpc.*");
  EXPECT_EQ(s.Events("hpc"), "site.interlink.events.hpc");
  EXPECT_EQ(s.AllEvents(), "site.interlink.events.*");
  EXPECT_EQ(s.Sync("hpc"), "site.interlink.sync.hpc");
  EXPECT_EQ(s.Config("hpc"), "site.interlink.config.hpc");
  EXPECT_EQ(s.AllConfigs(), "site.interlink.config.*");
  EXPECT_EQ(s.Resources("hpc"), "site.interlink.resources.hpc");
  EXPECT_EQ(s.AllResources(), "site.interlink.resources.*");
  EXPECT_EQ(s.Shutdown("stop"), "site.interlink.shutdown.stop");
}

TEST(SubjectsTest, APoolNamedLikeAWildcardHearsOnlyItself) {
  const Subjects s("p");
  EXPECT_EQ(s.AllCreates("*"), "p.create.=2A.*");
  EXPECT_EQ(s.AllJobs(">", "*", "start"), "p.job.=3E.=2A.start.*");
  EXPECT_EQ(s.AllFinds("a.*"), "p.find.a=2E=2A.*");
  EXPECT_EQ(s.AllBundles("*"), "p.bundle.*.=2A.*");
  EXPECT_EQ(s.Events(">"), "p.events.=3E");
}

TEST(SubjectsTest, TellsThePoolOfASubject) {
  const Subjects s("site.interlink");
  const std::string pool = "a.b*";
  for (const std::string& subject :
       {s.Create(pool, "j"), s.Job(pool, "S", "logs", "j"), s.Bundle(pool, "o", "j"),
        s.Find(pool, "j"), s.Events(pool), s.Sync(pool), s.Config(pool), s.Resources(pool)}) {
    EXPECT_THAT(s.PoolOf(subject), IsOkAndHolds(pool)) << subject;
  }
}

TEST(SubjectsTest, FindsNoPoolInWhatIsNotOurs) {
  const Subjects s("interlink");
  for (const char* subject :
       {"", "interlink", "interlink.", "interlink.events", "interlink.events.",
        "interlink.events.a.b", "interlink.shutdown.x", "interlinkx.events.a", "other.events.a",
        "interlink.events.a=2", "interlink.create.a", "interlink.unknown.a"}) {
    EXPECT_THAT(s.PoolOf(subject), StatusIs(absl::StatusCode::kNotFound)) << subject;
  }
}

TEST(SubjectsTest, ChecksThePrefix) {
  for (const char* prefix : {"interlink", "a.b.c", "site-1_x", "x$y"}) {
    EXPECT_THAT(Subjects::CheckPrefix(prefix), IsOk()) << prefix;
  }
  struct Case {
    std::string prefix;
    std::string message;
  };
  const Case cases[] = {
      {"", "empty"},
      {".a", "empty part"},
      {"a.", "empty part"},
      {"a..b", "empty part"},
      {"a.*", "wildcard"},
      {">", "wildcard"},
      {"a b", "blank"},
      {"a\tb", "blank"},
      {"$SYS.x", "NATS' own"},
      {"_INBOX", "NATS' own"},
      {std::string(129, 'a'), "129 bytes"},
  };
  for (const Case& c : cases) {
    EXPECT_THAT(Subjects::CheckPrefix(c.prefix),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.message)))
        << c.prefix;
  }
}

}  // namespace
}  // namespace podferry::wire
