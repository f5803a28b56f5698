#include "submitter/options.h"

#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

CommandLine Parse(std::vector<const char*> arguments,
                  const std::map<std::string, std::string>& environment = {}) {
  arguments.insert(arguments.begin(), "submitter");
  return ParseCommandLine(static_cast<int>(arguments.size()), arguments.data(),
                          [&](const std::string& name) -> std::optional<std::string> {
                            const auto found = environment.find(name);
                            if (found == environment.end()) return std::nullopt;
                            return found->second;
                          });
}

TEST(OptionsTest, ReadsTheFlags) {
  const CommandLine line = Parse({"host",
                                  "--nats",
                                  "tls://n:1",
                                  "--subject",
                                  "site",
                                  "--pool",
                                  "p.1",
                                  "--cpu",
                                  "4",
                                  "--memory",
                                  "8Gi",
                                  "--pods",
                                  "100",
                                  "--gpus",
                                  "0",
                                  "--responders",
                                  "3",
                                  "--build-config",
                                  "/c.toml",
                                  "--state",
                                  "/s",
                                  "--poll-interval",
                                  "30s",
                                  "--shutdown-subject",
                                  "all",
                                  "--metrics-listen",
                                  "127.0.0.1:1",
                                  "--drain",
                                  "--nats-inbox",
                                  "_INBOX_hpc"});
  ASSERT_TRUE(line.options.has_value()) << line.text;
  const SubmitterOptions& options = *line.options;
  EXPECT_EQ(options.backend, "host");
  EXPECT_EQ(options.nats_url, "tls://n:1");
  EXPECT_EQ(options.subject, "site");
  EXPECT_EQ(options.pool, "p.1");
  EXPECT_THAT(options.resources,
              UnorderedElementsAre(Pair("cpu", "4"), Pair("memory", "8Gi"), Pair("pods", "100")));
  EXPECT_EQ(options.responders, 3);
  EXPECT_EQ(options.build_config, "/c.toml");
  EXPECT_EQ(options.state, "/s");
  EXPECT_EQ(options.sandboxes, "/s/sandboxes");
  EXPECT_EQ(options.poll_interval, absl::Seconds(30));
  EXPECT_EQ(options.shutdown_subject, "all");
  EXPECT_EQ(options.metrics_listen->ToString(), "127.0.0.1:1");
  EXPECT_TRUE(options.drain);
  EXPECT_EQ(options.nats_inbox, "_INBOX_hpc");
}

TEST(OptionsTest, UnderstandsTheOriginalsNames) {
  const CommandLine line = Parse({"host", "-s", "nats://n:2", "-k", "prefix", "-q", "pool", "-f",
                                  "/f", "-b", "--verbose", "--state", "/s"});
  ASSERT_TRUE(line.options.has_value()) << line.text;
  EXPECT_EQ(line.options->nats_url, "nats://n:2");
  EXPECT_EQ(line.options->subject, "prefix");
  EXPECT_EQ(line.options->pool, "pool");
  EXPECT_EQ(line.options->build_config, "/f");
  EXPECT_EQ(line.options->log_level, "debug");
}

TEST(OptionsTest, TakesTheEnvironmentWhereNoFlagIsGiven) {
  const std::map<std::string, std::string> environment = {
      {"NATS_SERVER", "nats://original"}, {"PODFERRY_NATS", "nats://ours"},
      {"NATS_SUBJECT", "prefix"},         {"PODFERRY_POOL", "pool"},
      {"PODFERRY_STATE", "/s"},           {"PODFERRY_CPU", "2"},
      {"NATS_TIMEOUT_SECONDS", "60"}};
  const CommandLine line = Parse({"host", "--cpu", "4"}, environment);
  ASSERT_TRUE(line.options.has_value()) << line.text;
  EXPECT_EQ(line.options->nats_url, "nats://ours");
  EXPECT_EQ(line.options->subject, "prefix");
  EXPECT_EQ(line.options->pool, "pool");
  EXPECT_EQ(line.options->resources.at("cpu"), "4");
}

TEST(OptionsTest, MeansRelativePathsFromWhereBazelRunWasCalled) {
  const CommandLine line = Parse({"host", "--pool", "p", "--state", "state", "-f", "c.toml",
                                  "--nats-creds", "/abs", "--metrics-listen", "unix:m.sock"},
                                 {{"BUILD_WORKING_DIRECTORY", "/home/me"}});
  ASSERT_TRUE(line.options.has_value()) << line.text;
  EXPECT_EQ(line.options->state, "/home/me/state");
  EXPECT_EQ(line.options->sandboxes, "/home/me/state/sandboxes");
  EXPECT_EQ(line.options->build_config, "/home/me/c.toml");
  EXPECT_EQ(line.options->nats_creds, "/abs");
  EXPECT_EQ(line.options->metrics_listen->path, "/home/me/m.sock");
}

TEST(OptionsTest, SaysWhatIsWrong) {
  struct Case {
    std::vector<const char*> arguments;
    const char* message;
  };
  const std::vector<Case> cases = {
      {{}, "the backend is missing"},
      {{"slurm5", "--pool", "p", "--state", "/s"}, "no backend of this version"},
      {{"host", "--state", "/s"}, "--pool is missing"},
      {{"host", "--pool", "a>b", "--state", "/s"}, "--pool"},
      {{"host", "--pool", "*", "--state", "/s"}, "--pool"},
      {{"host", "--pool", "p"}, "--state is missing"},
      {{"host", "--pool", "p", "--state", "/s", "--cpu", "many"}, "--cpu"},
      {{"host", "--pool", "p", "--state", "/s", "--memory", "-1Gi"}, "--memory"},
      {{"host", "--pool", "p", "--state", "/s", "--responders", "0"}, "--responders"},
      {{"host", "--pool", "p", "--state", "/s", "--poll-interval", "10"}, "--poll-interval"},
      {{"host", "--pool", "p", "--state", "/s", "--subject", "a.*"}, "*"},
      {{"host", "--pool", "p", "--state", "/s", "--log-level", "loud"}, "--log-level"},
      {{"host", "--pool", "p", "--state", "/s", "--metrics-listen", "x"}, "x"},
      {{"host", "--no-such-flag"}, "--no-such-flag"},
  };
  for (const Case& c : cases) {
    const CommandLine line = Parse(c.arguments);
    EXPECT_FALSE(line.options.has_value()) << c.message;
    EXPECT_EQ(line.exit_code, 2);
    EXPECT_THAT(line.text, HasSubstr(c.message));
  }
}

TEST(OptionsTest, SaysAllThatIsWrongAtOnce) {
  const std::string long_value(5000, 'x');
  const CommandLine line = Parse({"slurm5", "--cpu", "many", "--memory", long_value.c_str(),
                                  "--responders", "99", "--log-level", "loud"});
  EXPECT_FALSE(line.options.has_value());
  EXPECT_THAT(
      line.text,
      AllOf(HasSubstr("submitter: \"slurm5\" is no backend"), HasSubstr("\nsubmitter: --pool"),
            HasSubstr("--cpu: want a quantity such as 4, 500m or 8Gi, got \"many\""),
            HasSubstr("--memory"), HasSubstr("--responders: want 1 to 64, got 99"),
            HasSubstr("--state is missing"), HasSubstr("got \"loud\"")));
  EXPECT_LT(line.text.size(), 1000u) << "values are cut";
}

TEST(OptionsTest, PrintsHelpVersionAndConfigWithoutNeedingAnything) {
  const CommandLine help = Parse({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.text, AllOf(HasSubstr("--pool"), HasSubstr("host"), Not(HasSubstr("fake"))));
  EXPECT_THAT(Parse({"--version"}).text, HasSubstr("podferry submitter"));
  EXPECT_THAT(Parse({"--generate-config"}).text, HasSubstr("[resources]"));
}

TEST(OptionsTest, NeverRepeatsAPassword) {
  EXPECT_THAT(Parse({"host", "nats://me:secret@host", "--nats"}).text, Not(HasSubstr("secret")));
  EXPECT_THAT(Parse({"nats://me:secret@host"}).text, Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace podferry
