#include "tools/podferry/local_commands.h"

#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kPod[] = R"({"metadata":{"name":"p","namespace":"default",
"uid":"11111111-1111-4111-8111-111111111111"},"spec":{"containers":[{"name":"c","image":"i",
"command":["true"]}]TOLERATION}})";

struct Ended {
  int code;
  std::string out;
  std::string err;
};

Ended Check(const std::string& text, bool strict) {
  std::ostringstream out, err;
  const int code = CheckConfigCommand("build.conf", text, strict, out, err);
  return {code, out.str(), err.str()};
}

std::string CreateBody(const std::string& toleration) {
  std::string pod = kPod;
  pod.replace(pod.find("TOLERATION"), 10, toleration);
  return absl::StrCat("{\"pod\":", pod, ",\"container\":[{\"name\":\"c\"}]}");
}

Ended Translate(const TranslateCommandOptions& options) {
  std::ostringstream out, err;
  const int code = TranslateCommand(options, out, err);
  return {code, out.str(), err.str()};
}

TEST(ConfigCommandsTest, WhatIsGeneratedPassesTheStrictestCheck) {
  std::ostringstream out;
  EXPECT_EQ(GenerateConfigCommand(out), 0);
  const Ended checked = Check(out.str(), /*strict=*/true);
  EXPECT_EQ(checked.code, 0) << checked.err;
  EXPECT_EQ(checked.out, "build.conf: can be used\n");
}

TEST(ConfigCommandsTest, SaysAllThatIsWrongAtOnce) {
  const std::string text = "[runtime]\nbwrap = \"b\"\nkind = \"docker\"\n[slurm]\nnodes = 0\n";
  const Ended checked = Check(text, /*strict=*/false);
  EXPECT_EQ(checked.code, 2);
  EXPECT_THAT(
      checked.err,
      AllOf(HasSubstr("build.conf: warning: runtime.bwrap: line 2, column 1: "),
            HasSubstr("build.conf: error: runtime.kind: line 3, column 8: want one of "),
            HasSubstr("build.conf: error: slurm.nodes: line 5, column 9: want at least 1")));
  EXPECT_THAT(Check(text, /*strict=*/true).err,
              AllOf(HasSubstr("error: runtime.bwrap: "), Not(HasSubstr("warning"))));
}

TEST(TranslateCommandTest, NamesThePoolThatIsSaidElseTheOneThatThePodTolerates) {
  const std::string config = "[runtime]\nkind = \"host\"\n";
  const std::string toleration =
      R"(,"tolerations":[{"key":"pool.vk.io","operator":"Equal","value":"theirs"}])";
  EXPECT_THAT(Translate({.pod = CreateBody(toleration), .build_config = config}).out,
              HasSubstr(" at pool theirs\n"));
  EXPECT_THAT(
      Translate({.pod = CreateBody(toleration), .build_config = config, .pool = "mine"}).out,
      HasSubstr(" at pool mine\n"));
}

TEST(TranslateCommandTest, TakesTheRuntimeThatIsSaid) {
  const Ended host = Translate({.pod = CreateBody(""), .pool = "mine", .runtime = "host"});
  EXPECT_EQ(host.code, 0) << host.err;
  EXPECT_NE(host.out, Translate({.pod = CreateBody(""), .pool = "mine"}).out);
}

}  // namespace
}  // namespace podferry
