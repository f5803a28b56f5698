// The podferry command line as a user has it: the real program against a real site.

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "e2e/harness/process.h"
#include "e2e/harness/site.h"
#include "e2e/harness/wait.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

struct Ended {
  int code = -1;
  std::string text;  // stdout and stderr, as a user sees them
};

class CliTest : public testing::Test {
 protected:
  Ended Run(std::vector<std::string> arguments) {
    std::string log = site_.Path(absl::StrCat("cli-", ++runs_, ".log"));
    Process::Options options = {
        .argv = {Program("tools/podferry/podferry"), "--plugin", site_.http().base()}, .log = log};
    options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
    auto process = Process::Start(std::move(options));
    Ended ended;
    ended.code = process->WaitForExit(kDeadline).value_or(-1);
    ended.text = ReadFile(log);
    return ended;
  }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(site_.Path(name)) << text;
    return site_.Path(name);
  }

  Site site_;
  int runs_ = 0;
};

TEST_F(CliTest, ShowsAPodsWayFromManifestToTrace) {
  site_.StartAll();
  Ended submit = Run({"submit", "examples/hello.yaml", "--pool", "pool-a"});
  EXPECT_EQ(submit.code, 0) << submit.text;
  EXPECT_THAT(submit.text,
              AllOf(HasSubstr("hello from a ConfigMap\n"), HasSubstr("prepared\n"),
                    HasSubstr("line 5 of 5\n"), HasSubstr("goodbye\n"), HasSubstr("[Succeeded")));
  EXPECT_THAT(Run({"pools"}).text, HasSubstr("pool-a  Ready  host"));
  EXPECT_THAT(Run({"jobs"}).text, AllOf(HasSubstr("hello"), HasSubstr("Succeeded")));
  EXPECT_THAT(Run({"logs", "hello", "--tail", "1"}).text, "goodbye\n");
  EXPECT_THAT(Run({"logs", "default/hello", "-c", "prepare"}).text, "prepared\n");
  EXPECT_THAT(Run({"logs", "hello", "--tail", "1", "--timestamps"}).text,
              MatchesRegex("20[0-9-]+T[0-9:.]+Z goodbye\n"));
  EXPECT_THAT(Run({"trace", "hello"}).text, AllOf(HasSubstr("plugin"), HasSubstr("submitter")));
  EXPECT_THAT(Run({"bundle", "hello"}).text, HasSubstr("PODFERRY_SANDBOX"));
  EXPECT_EQ(Run({"delete", "hello"}).code, 0);
  EXPECT_TRUE(WaitFor([&] { return absl::StrContains(Run({"jobs"}).text, "Deleted"); }));
}

TEST_F(CliTest, EndsWithTheCodeOfTheContainerThatFailed) {
  site_.StartAll();
  std::string pod = Write("fail.yaml", R"(
kind: Pod
metadata: {name: fail}
spec:
  restartPolicy: Never
  containers:
  - {name: main, image: busybox, command: [sh, -c, "echo so; exit 9"]}
)");
  Ended submit = Run({"submit", pod, "--pool", "pool-a"});
  EXPECT_EQ(submit.code, 9) << submit.text;
  EXPECT_THAT(submit.text, AllOf(HasSubstr("so\n"), HasSubstr("Failed")));
}

TEST_F(CliTest, SaysWhatIsWrongWithWhatItWasGiven) {
  site_.StartAll();
  struct {
    std::vector<std::string> arguments;
    const char* words;
  } const cases[] = {
      {{"submit", site_.Path("nowhere.yaml"), "--pool", "pool-a"}, "cannot read"},
      {{"submit", Write("list.yaml", "- 1"), "--pool", "pool-a"}, "Pod"},
      {{"submit", "examples/hello.yaml"}, "--pool"},
      {{"submit",
        Write("bad.yaml",
              "kind: Pod\nmetadata: {name: Bad_Name}\nspec: {containers: "
              "[{name: x}]}"),
        "--pool", "pool-a"},
       "metadata.name"},
      {{"submit", "examples/hello.yaml", "--pool", "*"}, "pool"},
      {{"logs", "nobody"}, "no job is called nobody"},
      {{"trace", "nobody"}, "no job is called nobody"},
      {{"forget-pool", "nobody"}, "nobody"},
      {{"match", "(", "a"}, "error"},
      {{"logs", "nobody", "--tail", "-1"}, "want a number of lines, 0 or more"},
      {{"config", "check", site_.Path("nowhere.toml")}, "cannot read"},
      {{"config", "check", "--strict", Write("typo.toml", "[slrum]\n")},
       "nearest known one is slurm"},
      {{"nonsense"}, "subcommand"},
      {{}, "subcommand"},
  };
  for (const auto& c : cases) {
    Ended ended = Run(c.arguments);
    EXPECT_EQ(ended.code, 2) << ended.text;
    EXPECT_THAT(ended.text, HasSubstr(c.words));
  }
  EXPECT_THAT(Run({"jobs"}).text, Not(HasSubstr("pool-a"))) << "something of a refused pod is left";
}

TEST_F(CliTest, SaysWhereItLookedForAPluginThatIsNotThere) {
  Ended ended = Run({"jobs"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.text, HasSubstr("PODFERRY_PLUGIN"));
}

TEST_F(CliTest, MatchesAndTranslatesWithoutAPlugin) {
  EXPECT_EQ(Run({"match", "(?i)^POOL-[ab]$", "pool-a", "pool-b", "pool-c"}).text,
            "pool-a\npool-b\n");
  std::string config = Write("build.toml", "[runtime]\nkind = \"host\"\n");
  Ended translated =
      Run({"translate", "examples/hello.yaml", "--build-config", config, "--pool", "mine"});
  EXPECT_EQ(translated.code, 0);
  EXPECT_THAT(translated.text, HasSubstr("#!/bin/bash"));
  const Ended generated = Run({"config", "generate"});
  EXPECT_EQ(Run({"config", "check", "--strict", Write("all.toml", generated.text)}).code, 0);
}

}  // namespace
}  // namespace podferry::e2e
