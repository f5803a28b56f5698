// 000, 010, 020, 080, 085, 086, 105: what a container is started with.

#include <utility>

#include "e2e/validation/scenario.h"

namespace podferry::e2e {
namespace {

// Quotes of all kinds, shell and printf characters, non-ASCII. Python reads it from its own argv
// and shows the bytes.
constexpr char kHostileArgument[] =
    "first \"line\" it's $HOME ${X} $(id) `id` 100% %s\n\tsecond \\ line é 日本 🚀 ✓\n";
constexpr char kShowArgument[] = R"(import sys
text = sys.argv[1]
assert len(sys.argv) == 2, sys.argv
print("argument", text.encode("utf-8").hex())
print(f"100% {text!r}")
print('Completed')
)";

std::string Hex(const std::string& bytes) {
  std::string hex;
  for (const unsigned char c : bytes) {
    hex.push_back("0123456789abcdef"[c >> 4]);
    hex.push_back("0123456789abcdef"[c & 15]);
  }
  return hex;
}

using Environment = std::vector<std::pair<std::string, std::string>>;

Scenario WithEnvironment(const std::string& name, Environment env, ContainerRequest container,
                         const std::string& pattern) {
  Scenario scenario{.name = name, .logs = {{container.name, pattern}}};
  container.env = std::move(env);
  scenario.pod.containers = {std::move(container)};
  return scenario;
}

// Every value as the container sees it must be what was sent, and the empty one must be set.
Scenario EnvironmentQuotes() {
  const Environment env = {
      {"SINGLE", "it's"},
      {"DOUBLE", "say \"hi\""},
      {"BOTH", "'\"'\"'"},
      {"BACKTICKS", "`id`"},
      {"DOLLAR", "$HOME ${HOME} $$"},
      {"SUBSTITUTION", "$(touch /tmp/never)"},
      {"BACKSLASH", "a\\b\\n\\\\"},
      {"NEWLINE", "one\ntwo\n"},
      {"TAB", "a\tb"},
      {"SPACES", "  two  spaces  "},
      {"EMPTY", ""},
      {"JSON", R"({"key": ["value", 'x', null]})"},
      {"GLOB", "* ? [a-z] ~"},
      {"OPERATORS", "a;b&c|d<e>f(g)!h#i"},
      {"EQUALS", "a=b=c"},
      {"UNICODE", "é 日本 🚀"},
      {"PERCENT", "%s %d %%"},
  };
  std::string script = "import os\n";
  for (const auto& [name, value] : env) {
    script += "assert os.environ['" + name + "'].encode().hex() == '" + Hex(value) + "', '" + name +
              "'\n";
  }
  script += "print('ENV_QUOTES_TEST_PASSED')\n";
  return WithEnvironment("105_env_quotes", env, Python("main", script), "ENV_QUOTES_TEST_PASSED");
}

}  // namespace

ContainerRequest Bash(const std::string& name, const std::string& script) {
  return {.name = name, .command = {"bash", "-c"}, .image = kDebian, .args = {script}};
}

ContainerRequest Python(const std::string& name, const std::string& script) {
  return {.name = name, .command = {"python3", "-c"}, .image = kDebian, .args = {script}};
}

std::vector<Scenario> BasicScenarios() {
  std::vector<Scenario> all;
  Scenario hello{.name = "000_hello_world", .logs = {{"main", "^hello world\n$"}}};
  hello.pod.containers = {Bash("main", "echo hello world")};
  all.push_back(hello);

  Scenario argument{.name = "010_simple_python",
                    .logs = {{"main", "argument " + Hex(kHostileArgument)}}};
  argument.pod.containers = {Python("main", kShowArgument)};
  argument.pod.containers[0].args.push_back(kHostileArgument);
  all.push_back(argument);

  all.push_back(WithEnvironment("020_python_env", {{"SIMPLE", "simple"}},
                                Python("main", "import os; print('SIMPLE', os.environ['SIMPLE'])"),
                                "^SIMPLE simple\n$"));
  // The virtual node has put the values of ConfigMaps and Secrets in their places.
  all.push_back(WithEnvironment(
      "080_config_map_and_secret_env",
      {{"FROM_CONFIG", "config value"}, {"FROM_SECRET", "s3cr3t$'\""}, {"PLAIN", "plain"}},
      Bash("main", R"(printf 'config=%s\n' "$FROM_CONFIG"; printf 'secret=%s\n' "$FROM_SECRET"
                      printf 'plain=%s\n' "$PLAIN"; env | grep -c ^FROM_)"),
      "config=config value\nsecret=s3cr3t\\$'\"\nplain=plain\n2\n"));
  all.push_back(WithEnvironment(
      "085_secret_env_from", {{"USERNAME", "admin"}, {"PASSWORD", "pass word"}, {"TOKEN", "t"}},
      Bash("main", R"([ "$USERNAME/$PASSWORD/$TOKEN" = "admin/pass word/t" ] && echo '✓ envFrom'
                      env | grep -c 'USERNAME\|PASSWORD\|TOKEN')"),
      "^✓ envFrom\n3\n$"));
  all.push_back(WithEnvironment(
      "086_secret_key_ref", {{"KEY", "value"}},
      {.command = {"/bin/sh", "-c", "test \"$KEY\" = value && echo secretKeyRef env test passed"},
       .image = kBusybox,
       .args = {}},
      "^secretKeyRef env test passed\n$"));
  all.push_back(EnvironmentQuotes());
  return all;
}

}  // namespace podferry::e2e
