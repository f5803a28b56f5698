#include "core/pool/build_config_toml.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/testing/golden.h"
#include "core/pool/build_config_keys.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

std::vector<std::string> Texts(const Issues& issues) {
  std::vector<std::string> texts;
  for (const Issue& issue : issues) texts.push_back(issue.ToString());
  return texts;
}

BuildConfigReading Read(const std::string& toml) { return ReadBuildConfig(toml, NoEnvironment); }

BuildConfigReading ReadIn(const std::map<std::string, std::string>& environment,
                          const std::string& toml) {
  return ReadBuildConfig(toml, [&](const std::string& name) -> std::optional<std::string> {
    const auto found = environment.find(name);
    if (found == environment.end()) return std::nullopt;
    return found->second;
  });
}

// Puts something other than the default into every key.
struct Disturb {
  int number;

  void operator()(bool* field) const { *field = !*field; }
  void operator()(int64_t* field) const { *field += number + 1; }
  void operator()(std::optional<int64_t>* field) const { *field = number + 1; }
  void operator()(std::string* field) const {
    *field = absl::StrCat("\"quoted\" \\ ", number, "\nline\ttab \x01\x7f caf\xc3\xa9 # = [x]");
  }
  void operator()(std::vector<std::string>* field) const {
    *field = {absl::StrCat("a", number), "", "with, comma"};
  }
  void operator()(StringMap* field) const {
    *field = {{"plain", "x"}, {"with/slash and \"quote\"", "y"}, {"", "z"}};
  }
  void operator()(const QuantityMap& field) const {
    *field.map = {{"cpu", "4"}, {"nvidia.com/gpu", "1"}};
  }
  void operator()(const EnumField& field) const { field.set(field.member, field.words.size() - 1); }
};

BuildConfig Disturbed() {
  BuildConfig config;
  int number = 0;
  for (const ConfigSection& section : BuildConfigSections()) {
    for (const auto& key : section.keys) std::visit(Disturb{number++}, key.field(config));
  }
  for (int i = 0; i < 2; ++i) {
    SlurmFlavor& flavor = config.slurm.flavors.emplace_back();
    for (const auto& key : SlurmFlavorKeys()) std::visit(Disturb{number++}, key.field(flavor));
  }
  config.resources = {{"cpu", "64"}, {"memory", "1Ti"}, {"example.com/x", "1.5"}};
  config.shub_proxy.server = "[2001:db8::1]:8080";
  config.node.labels = {"site=firenze"};
  config.node.taints = {"site=firenze:NoSchedule", "dedicated:NoExecute"};
  return config;
}

TEST(BuildConfigTomlTest, ReadsAnEmptyFileAsTheDefaults) {
  const BuildConfigReading reading = Read("");
  EXPECT_EQ(reading.config, BuildConfig());
  EXPECT_THAT(reading.errors, IsEmpty());
  EXPECT_THAT(reading.warnings, IsEmpty());
}

TEST(BuildConfigTomlTest, ReadsAFileOfThePythonOriginal) {
  const BuildConfigReading reading = Read(ReadTestData("core/pool/testdata/original.toml"));
  EXPECT_THAT(reading.errors, IsEmpty());
  EXPECT_THAT(Texts(reading.warnings),
              ElementsAre("apptainer.fuse_enabled_on_host: line 19, column 1: unknown key; the "
                          "nearest known one is fuse_mode"));
  const BuildConfig& config = reading.config;
  EXPECT_EQ(config.volumes.additional_directories_in_path[1], "/opt/rclone/bin");
  EXPECT_EQ(config.apptainer.fuse_mode, FuseMode::kHostPrivileged);
  EXPECT_EQ(config.apptainer.tmp_dir_mode, TmpDirMode::kBind);
  EXPECT_THAT(config.resources, UnorderedElementsAre(Pair("cpu", "64"), Pair("memory", "256Gi"),
                                                     Pair("pods", "200"), Pair("gpus", "4")));
  EXPECT_EQ(config.slurm.time, 24);
  EXPECT_EQ(config.slurm.header, "module load apptainer\nexport A=\"b\"");
  ASSERT_EQ(config.slurm.flavors.size(), 2u);
  EXPECT_THAT(
      config.slurm.flavors[0].max_resources,
      UnorderedElementsAre(Pair("cpu", "8"), Pair("memory", "32Gi"), Pair("nvidia.com/gpu", "1")));
  EXPECT_EQ(config.slurm.flavors[1].partition, "long");
  EXPECT_EQ(config.slurm.flavors[1].max_time_seconds, std::nullopt);
}

TEST(BuildConfigTomlTest, WritesWhatItReadsBack) {
  for (const BuildConfig& config : {BuildConfig(), Disturbed()}) {
    const BuildConfigReading reading = Read(ToToml(config));
    EXPECT_THAT(Texts(reading.errors), IsEmpty());
    EXPECT_THAT(Texts(reading.warnings), IsEmpty());
    EXPECT_EQ(reading.config, config) << ToToml(reading.config);
  }
}

TEST(BuildConfigTomlTest, PrintsADefaultFileThatReadsBackAsTheDefaults) {
  EXPECT_TRUE(MatchesGolden(GenerateBuildConfig(), "core/pool/testdata/build_config.toml"));
  const BuildConfigReading reading = Read(GenerateBuildConfig());
  EXPECT_THAT(Texts(reading.errors), IsEmpty());
  EXPECT_THAT(Texts(reading.warnings), IsEmpty());
  EXPECT_EQ(reading.config, BuildConfig());
}

TEST(BuildConfigTomlTest, KeepsTheReferenceInStepWithTheKeys) {
  EXPECT_TRUE(MatchesGolden(BuildConfigReference(), "docs/build-config.md"));
}

TEST(BuildConfigTomlTest, NamesNoKeyTwice) {
  std::set<std::string> seen;
  for (const ConfigSection& section : BuildConfigSections()) {
    for (const auto& key : section.keys) {
      EXPECT_TRUE(seen.insert(absl::StrCat(section.name, ".", key.name)).second) << key.name;
      EXPECT_FALSE(key.meaning.empty()) << key.name;
    }
  }
}

TEST(BuildConfigTomlTest, WarnsOfUnknownKeysAndSectionsWithTheNearestKnownOne) {
  const std::string toml = "[slrum]\ncpu = 1\n[slurm]\ncpu_per_task = 2\n";
  EXPECT_THAT(Texts(Read(toml).warnings),
              UnorderedElementsAre(
                  "slrum: line 1, column 2: unknown section; the nearest known one is slurm",
                  "slurm.cpu_per_task: line 4, column 1: unknown key; the nearest known one is "
                  "cpus_per_task"));
  EXPECT_THAT(Read(toml).errors, IsEmpty());
  const BuildConfigReading strict = ReadBuildConfig(toml, NoEnvironment, true);
  EXPECT_EQ(strict.errors.size(), 2u);
  EXPECT_THAT(strict.warnings, IsEmpty());
}

TEST(BuildConfigTomlTest, NamesEveryValueOfTheWrongTypeAndItsPlace) {
  const BuildConfigReading reading = Read(
      "volumes = 3\n"
      "[runtime]\nkind = \"docker\"\n"
      "[apptainer]\nfakeroot = \"maybe\"\nexecutable = 7\n"
      "[slurm]\nnodes = 0\ncpu = 1.5\nflags = [\"a\", 1]\nheader = [\"x\"]\nflavors = 1\n"
      "[node]\nlabels = \"a=b\"\ntaints = [\"a=b\"]\n"
      "[resources]\ncpu = \"many\"\nmemory = [1]\npods = -1\n"
      "[paths]\nclaims = { \"a/b\" = 1 }\n");
  EXPECT_THAT(
      Texts(reading.errors),
      UnorderedElementsAre(
          "volumes: line 1, column 11: want a table ([volumes]), got an integer",
          "runtime.kind: line 3, column 8: want one of apptainer, podman, host, got a string, "
          "\"docker\"",
          "apptainer.fakeroot: line 5, column 12: want true or false, got a string, \"maybe\"",
          "apptainer.executable: line 6, column 14: want a string, got an integer, 7",
          "slurm.nodes: line 8, column 9: want at least 1, got 0",
          "slurm.cpu: line 9, column 7: want an integer, got a number with a fraction, 1.5",
          "slurm.flags[1]: line 10, column 15: want a string, got an integer, 1",
          "slurm.header: line 11, column 10: want a string, got a list",
          "slurm.flavors: line 12, column 11: want tables ([[slurm.flavors]]), got an integer",
          "node.labels: line 14, column 10: want a list of strings, got a string, \"a=b\"",
          "node.taints[0]: line 15, column 11: want \"key=value:Effect\", the effect being "
          "NoSchedule, "
          "PreferNoSchedule or NoExecute, got \"a=b\"",
          HasSubstr("resources.cpu: line 17, column 7: "),
          "resources.memory: line 18, column 10: want a quantity, got a list",
          HasSubstr("resources.pods: line 19, column 8: is negative"),
          "paths.claims.a/b: line 21, column 20: want a string, got an integer, 1"));
}

TEST(BuildConfigTomlTest, SaysWhereTheTomlItselfIsWrong) {
  const BuildConfigReading reading = Read("[slurm]\ncpu = \n");
  ASSERT_EQ(reading.errors.size(), 1u);
  EXPECT_THAT(reading.errors.begin()->ToString(), HasSubstr("line 2, column"));
  EXPECT_EQ(Read("\xff").errors.size(), 1u);
}

TEST(BuildConfigTomlTest, TakesSpellingsThatTheOriginalTakes) {
  const BuildConfigReading reading =
      Read("[apptainer]\nfakeroot = \"yes\"\nuserns = 1\n[slurm]\ncpu = \"4\"\nntasks = 2.0\n");
  EXPECT_THAT(Texts(reading.errors), IsEmpty());
  EXPECT_TRUE(reading.config.apptainer.fakeroot);
  EXPECT_TRUE(reading.config.apptainer.userns);
  EXPECT_EQ(reading.config.slurm.cpu, 4);
  EXPECT_EQ(reading.config.slurm.ntasks, 2);
}

TEST(BuildConfigTomlTest, TakesWhatTheFileLacksFromTheEnvironment) {
  const std::map<std::string, std::string> environment = {
      {"SCRATCH_AREA", "/scratch"},
      {"APPTAINER_CACHEDIR", "/cache"},
      {"IMAGE_DIR", "/images"},
      {"ADDITIONAL_DIRECTORIES_IN_PATH", "/a:/b"},
      {"APPTAINER_FAKEROOT", "Yes"},
      {"FUSE_MODE", "host"},
      {"FUSE_SLEEP_WAIT", "7"},
      {"SHUB_PROXY", "hub"},
      {"SHUB_PROXY_MASTER_TOKEN", "token"},
      {"LOCAL_SANDBOX", "/shared"},
      {"SLURM_FLAGS", "--exclusive:--hold"},
  };
  const BuildConfigReading reading = ReadIn(environment, "[volumes]\nscratch_area = \"/mine\"\n");
  EXPECT_THAT(Texts(reading.errors), IsEmpty());
  const BuildConfig& config = reading.config;
  EXPECT_EQ(config.volumes.scratch_area, "/mine");
  EXPECT_EQ(config.volumes.apptainer_cachedir, "/cache");
  EXPECT_EQ(config.volumes.image_dir, "/images");
  EXPECT_THAT(config.volumes.additional_directories_in_path, ElementsAre("/a", "/b"));
  EXPECT_TRUE(config.apptainer.fakeroot);
  EXPECT_EQ(config.apptainer.fuse_mode, FuseMode::kHost);
  EXPECT_EQ(config.volumes.fuse_sleep_seconds, 7);
  EXPECT_EQ(config.shub_proxy.server, "hub");
  EXPECT_EQ(config.shub_proxy.master_token, "token");
  EXPECT_EQ(config.slurm.sandbox, "/shared");
  EXPECT_THAT(config.slurm.flags, ElementsAre("--exclusive", "--hold"));
}

TEST(BuildConfigTomlTest, NamesAVariableThatHoldsNoValueOfItsKey) {
  EXPECT_THAT(Texts(ReadIn({{"FUSE_SLEEP_WAIT", "soon"}, {"FUSE_MODE", "x"}}, "").errors),
              UnorderedElementsAre(
                  "volumes.fuse_sleep_seconds: the environment variable FUSE_SLEEP_WAIT: want an "
                  "integer from 0, got \"soon\"",
                  "apptainer.fuse_mode: the environment variable FUSE_MODE: want one of container, "
                  "host, host-privileged, got \"x\""));
}

TEST(BuildConfigTomlTest, NeverQuotesASecret) {
  const BuildConfigReading reading = Read("[shub_proxy]\nmaster_token = [\"hush-hush\"]\n");
  EXPECT_EQ(reading.errors.size(), 1u);
  EXPECT_THAT(reading.errors.ToString(), Not(HasSubstr("hush")));
  EXPECT_THAT(Texts(Read("[shub_proxy]\nmaster_token = 271828\n").errors),
              ElementsAre("shub_proxy.master_token: line 2, column 16: want a string, got an "
                          "integer"));
  EXPECT_THAT(Texts(Read("[shub_proxy]\nserver = \"http://me:hush@hub\"\n").errors),
              ElementsAre(AllOf(HasSubstr("shub_proxy.server: line 2, column 10: want HOST"),
                                Not(HasSubstr("hush")))));
}

TEST(BuildConfigTomlTest, CutsLongValues) {
  const std::string toml =
      absl::StrCat("[runtime]\nkind = \"", std::string(100000, 'x'), "\"\n[slurm]\nqos = [\"",
                   std::string(100000, 'y'), "\"]\n");
  EXPECT_EQ(Read(toml).errors.size(), 2u);
  EXPECT_LT(Read(toml).errors.ToString().size(), 500u);
}

TEST(BuildConfigTomlTest, SaysWhereAKeyBelongsThatStandsInTheWrongSection) {
  EXPECT_THAT(
      Texts(Read("scratch_area = \"/x\"\n[runtime]\nbwrap = \"b\"\nimage_dir = \"/i\"\n").warnings),
      UnorderedElementsAre(
          "scratch_area: line 1, column 1: unknown section; there is a key of this name in "
          "[volumes]",
          "runtime.bwrap: line 3, column 1: unknown key; the nearest known one is bwrap_executable",
          "runtime.image_dir: line 4, column 1: unknown key; there is a key of this name in "
          "[volumes]"));
}

TEST(BuildConfigTomlTest, SaysWhereAValueOfATableIsWrong) {
  EXPECT_THAT(
      Texts(Read("[[slurm.flavors]]\n[[slurm.flavors]]\nmax_resources = { cpu = 1, "
                 "\"nvidia.com/gpu\" = \"some\" }\n")
                .errors),
      ElementsAre(HasSubstr("slurm.flavors[1].max_resources.nvidia.com/gpu: line 3, column 47: ")));
}

}  // namespace
}  // namespace podferry
