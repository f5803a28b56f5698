// Whatever bytes a pod holds arrive as they are: random hostile arguments, variables, file names,
// contents and mount paths, in scripts that are run under every runtime. The seed is printed;
// PODFERRY_SEED repeats it.

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "core/pod/expansion.h"
#include "core/pod/testing/pod_builder.h"
#include "core/translate/testing/script_run.h"
#include "core/translate/testing/test_runtime.h"
#include "core/translate/translate.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

// Starting containers is what takes time: each pod has many things to get right.
constexpr int kPods = 25;
constexpr int kThingsPerPod = 48;

class Hostile {
 public:
  explicit Hostile(uint64_t seed) : random_(seed) {}

  size_t Below(size_t limit) {
    return std::uniform_int_distribution<size_t>(0, limit - 1)(random_);
  }

  // Any characters but NUL (a pod's strings are UTF-8), with what shells trip over more often than
  // chance would have it.
  std::string Text(size_t longest) {
    static constexpr const char* kPieces[] = {
        "'",      "\"",     "\\",   "$",     "`",    "$(id)", "${HOME}", "\n", "\r\n", "\t",
        " ",      "  ",     "!",    "*",     "?",    "[a]",   "{a,b}",   "~",  "#",    "&",
        "|",      ";",      "<",    ">",     "(",    ")",     "%s",      "%%", "\\n",  "\\0",
        "$'",     "'\\''",  "-n",   "--",    "\x01", "\x7f",  "\x1b",    "é",  "日本", "🚀",
        "\u2028", "\ufffd", "$(A)", "$$(A)", "EOF",  "\n.\n"};
    std::string text;
    const size_t pieces = Below(longest);
    for (size_t i = 0; i < pieces; ++i) {
      if (Below(3) == 0) {
        AppendCharacter(&text);
      } else {
        text += kPieces[Below(std::size(kPieces))];
      }
    }
    return text;
  }

  std::string Bytes(size_t longest) {
    std::string bytes(Below(longest), '\0');
    for (char& c : bytes) c = static_cast<char>(Below(256));
    return bytes;
  }

  std::string VariableName() {
    std::string name = "V";
    for (size_t i = 0; i <= Below(12); ++i) {
      const char c = static_cast<char>(0x20 + Below(0x5f));
      name.push_back(c == '=' ? '_' : c);
    }
    return name;
  }

  // One element of a path.
  std::string Name() {
    std::string name = Text(6);
    for (char& c : name) {
      if (c == '/') c = '_';
    }
    size_t end = std::min<size_t>(name.size(), 60);
    while (end < name.size() && (name[end] & 0xc0) == 0x80) --end;  // not within a character
    return name.substr(0, end) + absl::StrCat("n", Below(1000000));
  }

 private:
  // One half of them ASCII.
  void AppendCharacter(std::string* text) {
    static constexpr size_t kLimits[] = {0x80, 0x80, 0x80, 0x800, 0xd800, 0x110000};
    size_t code = 1 + Below(kLimits[Below(std::size(kLimits))] - 1);
    if (code >= 0xd800 && code < 0xe000) code = 0xe000;  // no halves of a pair
    if (code < 0x80) {
      text->push_back(static_cast<char>(code));
      return;
    }
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static constexpr int kLead[] = {0, 0xc0, 0xe0, 0xf0};
    text->push_back(static_cast<char>(kLead[more] | (code >> (6 * more))));
    for (int i = more - 1; i >= 0; --i) {
      text->push_back(static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3f)));
    }
  }

  std::mt19937_64 random_;
};

uint64_t Seed() {
  uint64_t seed = 0;
  const char* given = std::getenv("PODFERRY_SEED");
  if (given == nullptr || !absl::SimpleAtoi(given, &seed)) seed = std::random_device()();
  std::cout << "PODFERRY_SEED=" << seed << std::endl;
  return seed;
}

struct Expected {
  std::string arguments;                         // as `printf %s\0` prints them
  std::map<std::string, std::string> variables;  // of "environment"
  std::string files;                             // of "files", one after the other
};

void AddArguments(Hostile& hostile, PodBuilder& pod, Expected* expected) {
  std::vector<std::string> command = {"printf", "%s\\0"};
  for (int i = 0; i < kThingsPerPod; ++i) {
    command.push_back(hostile.Text(30));
    expected->arguments +=
        ExpandVariables(command.back(), [](absl::string_view) { return std::nullopt; });
    expected->arguments.push_back('\0');
  }
  pod.Command(command);
}

void AddVariables(Hostile& hostile, PodBuilder& pod, Expected* expected) {
  pod.AddContainer("environment").Command({"cat", "/proc/self/environ"});
  for (int i = 0; i < kThingsPerPod; ++i) {
    const std::string name = hostile.VariableName();
    const std::string value = hostile.Text(40);
    pod.Env(name, value);
    expected->variables[name] = value;
  }
}

void AddFiles(Hostile& hostile, PodBuilder& pod, Expected* expected) {
  static constexpr const char* kParents[] = {"/", "/etc/", "/opt/", "/var/run/", "/srv/deep/er/"};
  pod.AddContainer("files");
  std::vector<std::string> command = {"cat", "--"};
  for (int volume = 0; volume < 4; ++volume) {
    std::map<std::string, std::string> data;
    std::vector<KeyToPath> items;
    // Kubernetes takes no colon in a mount path, Apptainer no line of DOS.
    const std::string mount_path = absl::StrReplaceAll(
        kParents[hostile.Below(std::size(kParents))] + std::string("m") + hostile.Name(),
        {{":", "_"}, {"\r\n", "_"}});
    for (int i = 0; i < kThingsPerPod / 4; ++i) {
      const std::string key = absl::StrCat("key", i);
      const std::string path =
          hostile.Below(2) == 0 ? hostile.Name() : hostile.Name() + "/" + hostile.Name();
      const size_t longest = hostile.Below(8) == 0 ? 40000 : 600;
      data[key] = hostile.Below(2) == 0 ? hostile.Bytes(longest) : hostile.Text(longest / 2);
      items.push_back({key, path, hostile.Below(2) == 0 ? 0644 : 0555});
      expected->files += data[key];
      command.push_back(absl::StrCat(mount_path, "/", path));
      // A folder and a file of one name cannot be; names end in different numbers.
    }
    const std::string name = absl::StrCat("volume", volume);
    pod.ConfigMap(name, mount_path, data);
    for (Volume& planned : pod.spec().volumes) {
      if (planned.name == name) std::get<ConfigMapVolume>(planned.source).items = items;
    }
  }
  pod.Command(command);
  // As $$ would be one $.
  for (std::string& argument : pod.container().command) {
    std::string escaped;
    for (const char c : argument) escaped.append(c == '$' ? "$$" : std::string(1, c));
    argument = escaped;
  }
}

std::map<std::string, std::string> ReadEnvironment(const std::string& text) {
  std::map<std::string, std::string> variables;
  for (const absl::string_view variable : absl::StrSplit(text, '\0', absl::SkipEmpty())) {
    const size_t equals = variable.find('=');
    variables[std::string(variable.substr(0, equals))] = std::string(variable.substr(equals + 1));
  }
  return variables;
}

class ScriptPropertyTest : public testing::TestWithParam<TestRuntime> {
 protected:
  Translation TranslateFor(const PodBuilder& pod) const {
    RetrievedPod retrieved = pod.Build();
    for (Container& container : retrieved.pod.spec.containers) container.image = "debian:12";
    Translation translation = Translate(retrieved, {"origin", absl::StrCat("uid-", getpid())},
                                        "pool-a", ConfigOf(GetParam()));
    EXPECT_TRUE(translation.issues.empty()) << translation.issues.ToString();
    return translation;
  }
};

TEST_P(ScriptPropertyTest, AnyBytesArriveAsTheyAre) {
  Hostile hostile(Seed());
  for (int i = 0; i < kPods && !testing::Test::HasFailure(); ++i) {
    PodBuilder pod;
    Expected expected;
    AddArguments(hostile, pod, &expected);
    AddVariables(hostile, pod, &expected);
    AddFiles(hostile, pod, &expected);
    const Translation translation = TranslateFor(pod);
    ScriptRun run(translation.bundle.script);
    Prepare(GetParam(), &run);
    EXPECT_EQ(run.Run(), 0) << run.Finished().message << run.Log(2, "files").substr(0, 2000);
    EXPECT_EQ(run.Log(0, "main"), expected.arguments);
    EXPECT_EQ(run.Log(2, "files"), expected.files);
    const auto variables = ReadEnvironment(run.Log(1, "environment"));
    for (const auto& [name, value] : expected.variables) {
      const auto found = variables.find(name);
      ASSERT_NE(found, variables.end()) << name;
      EXPECT_EQ(found->second, value) << name;
    }
  }
}

TEST_P(ScriptPropertyTest, TheLongestArgumentAndVariableArrive) {
  const std::string longest(131071, '\'');
  const std::string value(131071 - 2, '"');
  PodBuilder pod;
  pod.Command({"printf", "%s", longest}).Env("V", value);
  pod.AddContainer("environment").Env("V", value).Command({"printenv", "V"});
  const Translation translation = TranslateFor(pod);
  ScriptRun run(translation.bundle.script);
  Prepare(GetParam(), &run);
  EXPECT_EQ(run.Run(), 0);
  EXPECT_TRUE(run.Log(0, "main") == longest);
  EXPECT_TRUE(run.Log(1, "environment") == value + "\n");
}

TEST_P(ScriptPropertyTest, TwentyMebibytesOfNoiseArrive) {
  Hostile hostile(Seed());
  std::string noise(20 << 20, '\0');
  std::mt19937_64 random(hostile.Below(1 << 30));
  for (size_t i = 0; i < noise.size(); i += 8) {
    const uint64_t word = random();
    noise.replace(i, 8, reinterpret_cast<const char*>(&word), 8);
  }
  PodBuilder pod;
  pod.Secret("noise", "/noise", {{"bytes", noise}}).Command({"cat", "/noise/bytes"});
  const Translation translation = TranslateFor(pod);
  // A batch system's own lines before ours move nothing.
  ScriptRun run(absl::StrCat("#!/bin/bash\n#SBATCH --ntasks=1\n", translation.bundle.script));
  Prepare(GetParam(), &run);
  EXPECT_EQ(run.Run(), 0);
  EXPECT_TRUE(run.Log(0, "main") == noise);
}

TEST_P(ScriptPropertyTest, DamagedDataIsNoticedAndNothingRuns) {
  PodBuilder pod;
  pod.ConfigMap("data", "/data", {{"file", std::string(100000, 'x')}}).Shell("echo ran");
  Translation translation = TranslateFor(pod);
  std::string& script = translation.bundle.script;
  script[script.size() - 5000] = 'y';
  ScriptRun run(script);
  Prepare(GetParam(), &run);
  EXPECT_EQ(run.Run(), 128);
  EXPECT_EQ(run.Log(0, "main"), "");
  EXPECT_NE(run.Finished().message.find("damaged"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Runtimes, ScriptPropertyTest, testing::ValuesIn(kTestRuntimes),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace podferry
