#include "plugin/plugin_options.h"

#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using testing::HasSubstr;
using testing::Not;

using Variables = std::map<std::string, std::string>;

CommandLine Parse(std::vector<const char*> args, const Variables& variables = {}) {
  args.insert(args.begin(), "plugin");
  return ParseCommandLine(static_cast<int>(args.size()), args.data(),
                          [&](const std::string& name) -> std::optional<std::string> {
                            auto it = variables.find(name);
                            if (it == variables.end()) return std::nullopt;
                            return it->second;
                          });
}

TEST(PluginOptionsTest, HasDefaults) {
  const CommandLine line = Parse({"--state", "/var/lib/podferry"});
  ASSERT_TRUE(line.options.has_value()) << line.text;
  EXPECT_EQ(line.options->nats.url, "nats://127.0.0.1:4222");
  EXPECT_EQ(line.options->subject, "interlink");
  EXPECT_EQ(line.options->grace, absl::Minutes(15));
  ASSERT_EQ(line.options->listen.size(), 1u);
  EXPECT_EQ(line.options->listen[0].ToString(), "127.0.0.1:4000");
}

TEST(PluginOptionsTest, TakesTheMasterTokenOfTheRegistryProxiesFromAFileOrTheEnvironment) {
  const Variables variables = {{"SHUB_PROXY", "hub:1"}, {"SHUB_PROXY_MASTER_TOKEN", "secret"}};
  const CommandLine from_environment = Parse({"--state", "/s"}, variables);
  ASSERT_TRUE(from_environment.options.has_value()) << from_environment.text;
  EXPECT_EQ(from_environment.options->shub_proxy, "hub:1");
  EXPECT_EQ(from_environment.options->shub_proxy_token, "secret");
  const CommandLine from_file =
      Parse({"--state", "/s", "--shub-proxy-token-file", "/t"}, variables);
  ASSERT_TRUE(from_file.options.has_value()) << from_file.text;
  EXPECT_EQ(from_file.options->shub_proxy_token_file, "/t");
  EXPECT_EQ(from_file.options->shub_proxy_token, "");
}

TEST(PluginOptionsTest, ReadsEveryFlag) {
  const CommandLine line = Parse({"--nats",
                                  "tls://a:1",
                                  "--subject",
                                  "p.q",
                                  "--listen",
                                  "127.0.0.1:1",
                                  "--listen",
                                  "unix:/run/x.sock",
                                  "--state",
                                  "/s",
                                  "--metrics-listen",
                                  "0.0.0.0:9",
                                  "--grace",
                                  "0",
                                  "--nats-creds",
                                  "/c",
                                  "--origin",
                                  "abc",
                                  "--pause-dispatch",
                                  "--verbose",
                                  "-b",
                                  "--nats-inbox",
                                  "_INBOX_plugin"});
  ASSERT_TRUE(line.options.has_value()) << line.text;
  const PluginOptions& options = *line.options;
  EXPECT_EQ(options.nats.url, "tls://a:1");
  EXPECT_EQ(options.subject, "p.q");
  ASSERT_EQ(options.listen.size(), 2u);
  EXPECT_EQ(options.listen[1].path, "/run/x.sock");
  EXPECT_EQ(options.metrics_listen->port, 9);
  EXPECT_EQ(options.grace, absl::ZeroDuration());
  EXPECT_EQ(options.nats.creds_file, "/c");
  EXPECT_EQ(options.nats.inbox_prefix, "_INBOX_plugin");
  EXPECT_EQ(options.origin, "abc");
  EXPECT_TRUE(options.pause_dispatch);
  EXPECT_TRUE(options.verbose);
}

TEST(PluginOptionsTest, TakesTheOriginalsNamesAndOwnVariables) {
  EXPECT_EQ(Parse({"-s", "nats://x:1", "--state", "/s"}).options->nats.url, "nats://x:1");
  EXPECT_EQ(Parse({"--server", "nats://x:1", "--state", "/s"}).options->nats.url, "nats://x:1");
  const Variables variables = {{"NATS_SERVER", "nats://old:1"},
                               {"NATS_SUBJECT", "old"},
                               {"PODFERRY_SUBJECT", "own"},
                               {"PODFERRY_STATE", "/env"},
                               {"PODFERRY_LISTEN", "127.0.0.1:7"},
                               {"NATS_TIMEOUT_SECONDS", "300"},
                               {"DEBUG", "1"}};
  const CommandLine line = Parse({}, variables);
  ASSERT_TRUE(line.options.has_value()) << line.text;
  EXPECT_EQ(line.options->nats.url, "nats://old:1");
  EXPECT_EQ(line.options->subject, "own");
  EXPECT_EQ(line.options->state, "/env");
  ASSERT_EQ(line.options->listen.size(), 1u);
  EXPECT_EQ(line.options->listen[0].port, 7);
  EXPECT_TRUE(line.options->verbose);
  EXPECT_EQ(Parse({"--subject", "flag"}, variables).options->subject, "flag");
}

TEST(PluginOptionsTest, RelativePathsAreMeantFromWhereBazelRunWasCalled) {
  const Variables variables = {{"BUILD_WORKING_DIRECTORY", "/home/me"}};
  const CommandLine line =
      Parse({"--state", "state", "--listen", "unix:plugin.sock", "--nats-ca", "ca.pem"}, variables);
  ASSERT_TRUE(line.options.has_value()) << line.text;
  EXPECT_EQ(line.options->state, "/home/me/state");
  EXPECT_EQ(line.options->listen[0].path, "/home/me/plugin.sock");
  EXPECT_EQ(line.options->nats.ca_file, "/home/me/ca.pem");
  EXPECT_EQ(Parse({"--state", "redis+unix:/r"}, variables).options->state, "redis+unix:/r");
}

TEST(PluginOptionsTest, OthersMayOnlyConnectThroughTlsOrWhenToldSo) {
  const CommandLine open = Parse({"--state", "/s", "--listen", "0.0.0.0:4000"});
  EXPECT_FALSE(open.options.has_value());
  EXPECT_EQ(open.exit_code, 2);
  EXPECT_THAT(open.text, HasSubstr("--insecure-listen"));
  EXPECT_TRUE(Parse({"--state", "/s", "--listen", "0.0.0.0:4000", "--insecure-listen"})
                  .options.has_value());
  EXPECT_TRUE(
      Parse({"--state", "/s", "--listen", "0.0.0.0:4000", "--tls-cert", "/c", "--tls-key", "/k"})
          .options.has_value());
  EXPECT_TRUE(Parse({"--state", "/s", "--listen", "[::1]:4000"}).options.has_value());
}

TEST(PluginOptionsTest, MistakesAreNamed) {
  struct Case {
    std::vector<const char*> args;
    const char* text;
  };
  const std::vector<Case> cases = {
      {{}, "--state is missing"},
      {{"--state", "/s", "--grace", "soon"}, "--grace"},
      {{"--state", "/s", "--grace", "-5m"}, "--grace"},
      {{"--state", "/s", "--subject", "a.*"}, "*"},
      {{"--state", "/s", "--origin", "a/b"}, "--origin"},
      {{"--state", "/s", "--listen", "example.org"}, "example.org"},
      {{"--state", "/s", "--tls-cert", "/c"}, "--tls-key"},
      {{"--state", "/s", "--nats", "http://x"}, "NATS"},
      {{"--state", "/s", "--no-such-flag"}, "--no-such-flag"},
  };
  for (const Case& c : cases) {
    const CommandLine line = Parse(c.args);
    EXPECT_FALSE(line.options.has_value()) << c.text;
    EXPECT_EQ(line.exit_code, 2) << c.text;
    EXPECT_THAT(line.text, HasSubstr(c.text));
  }
}

TEST(PluginOptionsTest, PrintsHelpAndVersion) {
  EXPECT_THAT(Parse({"--version"}).text, HasSubstr("podferry plugin "));
  EXPECT_EQ(Parse({"--version"}).exit_code, 0);
  EXPECT_THAT(Parse({"--help"}).text, HasSubstr("--insecure-listen"));
}

TEST(PluginOptionsTest, PasswordsDoNotGetIntoMessages) {
  const CommandLine line = Parse({"--state", "/s", "nats://me:secret@host"});
  EXPECT_FALSE(line.options.has_value());
  EXPECT_THAT(line.text, Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace podferry
