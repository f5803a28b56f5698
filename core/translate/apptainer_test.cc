// Pods under real Apptainer: images and their own commands, how containers end, and the site's
// cache of images, with a registry that fails when it is told to.

#include <signal.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/pod/testing/pod_builder.h"
#include "core/translate/planner.h"
#include "core/translate/script_renderer.h"
#include "core/translate/testing/script_run.h"
#include "core/translate/testing/test_registry.h"
#include "core/translate/testing/test_runtime.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using testing::HasSubstr;
using Kind = ContainerState::Kind;

BuildConfig Config() { return ConfigOf({RuntimeKind::kApptainer, "apptainer"}); }

std::string Script(const PodBuilder& pod, const BuildConfig& config = Config()) {
  PlanResult result = PlanJob(pod.Build(), {"origin", "uid-1"}, "pool-a", config);
  EXPECT_TRUE(result.issues.empty()) << result.issues.ToString();
  result.plan.image_places.back_off_first = absl::Milliseconds(100);
  return RenderScript(result.plan);
}

PodBuilder& From(PodBuilder& pod, const std::string& image) {
  pod.container().image = image;
  pod.container().command.clear();
  pod.container().args.clear();
  return pod;
}

std::string LogOf(PodBuilder& pod, int exit_code = 0) {
  ScriptRun run(Script(pod));
  EXPECT_EQ(run.Run(), exit_code);
  return run.Log(0, "main");
}

TEST(ApptainerTest, CommandAndArgumentsReplaceTheImagesAsInKubernetes) {
  PodBuilder own;
  From(own, "podferry/entrypoint:1");
  EXPECT_THAT(LogOf(own), HasSubstr("argument <of the entrypoint>\n"
                                    "argument <$HOME \"quoted\" 'it'>\n"
                                    "argument <of the command>\n"
                                    "argument <>\n"));
  PodBuilder args;
  From(args, "podferry/entrypoint:1").Args({"it's", "$(id) `id`\n", ""});
  EXPECT_THAT(LogOf(args), HasSubstr("argument <$HOME \"quoted\" 'it'>\n"
                                     "argument <it's>\n"
                                     "argument <$(id) `id`\n>\n"
                                     "argument <>\n"));
  PodBuilder command;
  From(command, "podferry/entrypoint:1").Command({"/usr/bin/tell", "mine"});
  EXPECT_THAT(LogOf(command), HasSubstr("argument </usr/bin/tell>\nargument <mine>\n"));
  PodBuilder no_entrypoint;
  From(no_entrypoint, "podferry/command:1").Args({"tell", "these"});
  EXPECT_THAT(LogOf(no_entrypoint), HasSubstr("argument <these>\n"));
}

TEST(ApptainerTest, ACommandThatIsNotThereEndsAsInAShell) {
  const struct {
    std::vector<std::string> command;
    int code;
  } cases[] = {{{"no-such-command"}, 127},
               {{"/no/such"}, 127},
               {{"/etc"}, 126},
               {{"sh", "-c", "exit 255"}, 255},
               {{"sh", "-c", "kill -9 $$$$"}, 137}};
  for (const auto& c : cases) {
    PodBuilder pod;
    From(pod, "busybox:1.36").Command(c.command);
    ScriptRun run(Script(pod));
    EXPECT_EQ(run.Run(), c.code);
    EXPECT_EQ(run.Status(0, "main").state.reason, "Error");
  }
}

TEST(ApptainerTest, WhatItsShellTakesForMarksOfItsOwnArrivesInVariables) {
  const std::string value = "a\u0081'b\u0080\"c\r\nd\u0082";
  PodBuilder pod;
  From(pod, "busybox:1.36").Env("VALUE", value).Shell("printf %s \"$VALUE\"");
  EXPECT_EQ(LogOf(pod), value);
}

TEST(ApptainerTest, AWorkingFolderThatIsNotThereIsMade) {
  PodBuilder pod;
  From(pod, "busybox:1.36").Shell("pwd; echo x > file && cat file");
  pod.EmptyDir("data", "/data");
  pod.container().volume_mounts[0].sub_path = "below";
  pod.container().working_dir = "/no/such/folder";
  EXPECT_EQ(LogOf(pod), "/no/such/folder\nx\n");
}

TEST(ApptainerTest, AReadOnlyRootIsReadOnlyInTmpToo) {
  PodBuilder pod;
  From(pod, "busybox:1.36").EmptyDir("data", "/data");
  pod.Shell("touch /x || touch /tmp/x || touch /var/tmp/x || touch /data/x && echo only there");
  pod.container().security_context.read_only_root_filesystem = true;
  EXPECT_THAT(LogOf(pod), HasSubstr("only there"));
}

TEST(ApptainerTest, WhatIsNoImageIsSaidInApptainersWords) {
  BuildConfig config = Config();
  config.images.allow = {"/etc/"};
  PodBuilder pod;
  From(pod, "/etc/hostname").Shell("true");
  ScriptRun run(Script(pod, config));
  EXPECT_EQ(run.Run(), 128);
  EXPECT_EQ(run.Status(0, "main").state.reason, "CreateContainerError");
  EXPECT_THAT(run.Status(0, "main").state.message, HasSubstr("image format not recognized"));
}

TEST(ApptainerTest, AMissingApptainerIsSaid) {
  BuildConfig config = Config();
  config.apptainer.executable = "/nowhere/apptainer";
  PodBuilder pod;
  From(pod, "busybox:1.36").Shell("true");
  ScriptRun run(Script(pod, config));
  EXPECT_EQ(run.Run(), 128);
  EXPECT_EQ(run.Status(0, "main").state.reason, "CreateContainerConfigError");
  EXPECT_THAT(run.Status(0, "main").state.message, HasSubstr("/nowhere/apptainer"));
}

TEST(ApptainerTest, EndsAllOfAContainerWithinItsGrace) {
  PodBuilder pod;
  From(pod, "busybox:1.36").Shell("trap '' TERM; setsid sleep 7741 & echo up; sleep 7741");
  pod.spec().termination_grace_period_seconds = 1;
  ScriptRun run(Script(pod));
  run.Start();
  ASSERT_TRUE(run.UntilLog(0, "main", "up"));
  run.Signal(SIGTERM);
  EXPECT_EQ(run.Wait(), 137);
  EXPECT_EQ(CountProcesses("7741"), 0);
}

TEST(ApptainerTest, NothingIsLeftOfAKilledScript) {
  PodBuilder pod;
  From(pod, "busybox:1.36").Shell("setsid sleep 7742 & echo up; sleep 7742");
  BuildConfig config = Config();
  config.volumes.scratch_area = testing::TempDir() + "/scratch";
  ScriptRun run(Script(pod, config));
  run.Start();
  ASSERT_TRUE(run.UntilLog(0, "main", "up"));
  run.Signal(SIGKILL);
  run.Wait();
  EXPECT_TRUE(ScriptRun::Until([] { return CountProcesses("7742") == 0; }));
  EXPECT_TRUE(
      ScriptRun::Until([&] { return std::filesystem::is_empty(config.volumes.scratch_area); }));
}

TEST(ApptainerTest, SecretsStandOnNoCommandLine) {
  PodBuilder pod;
  From(pod, "busybox:1.36").Shell("echo up; sleep 1");
  pod.Env("PASSWORD", "quite-secret-7743");
  ScriptRun run(Script(pod));
  run.Start();
  EXPECT_TRUE(ScriptRun::Until([&] {
    EXPECT_EQ(CountProcesses("quite-secret-7743"), 0);
    return absl::StrContains(run.Log(0, "main"), "up");
  }));
  run.Wait();
}

class ImagesTest : public testing::Test {
 protected:
  ImagesTest() : config_(Config()), cache_(testing::TempDir() + "/images-cache") {
    std::filesystem::remove_all(cache_);
    config_.volumes.apptainer_cachedir = cache_;
    config_.images.pull_retries = 2;
    config_.images.pull_policy = PullPolicy::kPod;
    registry_.Fail("");
  }

  std::string Name(const std::string& image) const { return registry_.address() + "/" + image; }

  std::string ScriptOf(const std::string& image, const std::string& policy = "IfNotPresent") const {
    PodBuilder pod;
    From(pod, Name(image)).Command({"/bin/busybox", "echo", "ran"});
    pod.container().image_pull_policy = policy;
    return Script(pod, config_);
  }

  std::unique_ptr<ScriptRun> Start(const std::string& script) const {
    auto run = std::make_unique<ScriptRun>(script);
    run->variables()["SSL_CERT_FILE"] = registry_.ca();
    run->Start();
    return run;
  }

  ContainerStatus Run(const std::string& script) const {
    const std::unique_ptr<ScriptRun> run = Start(script);
    run->Wait();
    return run->Status(0, "main");
  }

  // Names in the cache that are neither an image nor its facts.
  std::vector<std::string> Leftovers() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(cache_)) {
      const std::string name = entry.path().filename();
      if (absl::StrContains(name, ".part") || absl::StrContains(name, ".lock") ||
          absl::StrContains(name, ".probe") || absl::StrContains(name, ".dead")) {
        names.push_back(name);
      }
    }
    return names;
  }

  TestRegistry registry_;
  BuildConfig config_;
  const std::string cache_;
};

constexpr char kBusybox[] = "library/busybox:1.36";

TEST_F(ImagesTest, TenPodsAtOncePullOnce) {
  std::vector<std::unique_ptr<ScriptRun>> runs;
  for (int i = 0; i < 10; ++i) runs.push_back(Start(ScriptOf(kBusybox)));
  for (const auto& run : runs) {
    EXPECT_EQ(run->Wait(absl::Minutes(3)), 0);
    EXPECT_THAT(run->Status(0, "main").image_id, HasSubstr("sha256:"));
  }
  EXPECT_EQ(registry_.Count("GET .*/manifests/.* 200"), 1);
  EXPECT_THAT(Leftovers(), testing::IsEmpty());
}

TEST_F(ImagesTest, AnImageThatDidNotChangeIsNotFetchedAgain) {
  EXPECT_EQ(Run(ScriptOf(kBusybox, "Always")).state.exit_code, 0);
  registry_.Fail("");
  EXPECT_EQ(Run(ScriptOf(kBusybox, "Always")).state.exit_code, 0);
  EXPECT_EQ(registry_.Count("HEAD .*/manifests/"), 1);
  EXPECT_EQ(registry_.Count("/blobs/"), 0);
  registry_.Fail("");
  EXPECT_EQ(Run(ScriptOf(kBusybox)).state.exit_code, 0);
  EXPECT_EQ(registry_.Count("."), 0);
}

TEST_F(ImagesTest, ARegistryThatFailsForAWhileIsAskedAgain) {
  registry_.Fail("503 2 0 GET .*/manifests/\n503 1 0 HEAD .*/manifests/");
  const std::unique_ptr<ScriptRun> run = Start(ScriptOf(kBusybox));
  EXPECT_TRUE(ScriptRun::Until([&] {
    return run->Status(0, "main").state.reason == "ImagePullBackOff" || run->Has("finished");
  }));
  EXPECT_THAT(run->Status(0, "main").state.message, HasSubstr("503"));
  EXPECT_EQ(run->Wait(), 0);
}

TEST_F(ImagesTest, AnImageThatIsNotThereFailsTheContainer) {
  const ContainerStatus status = Run(ScriptOf("library/busybox:no-such-tag"));
  EXPECT_EQ(status.state.reason, "ErrImagePull");
  EXPECT_EQ(status.state.exit_code, 128);
  EXPECT_THAT(status.state.message, HasSubstr("manifest unknown"));
  EXPECT_EQ(Run(ScriptOf(kBusybox, "Never")).state.reason, "ErrImageNeverPull");
}

TEST_F(ImagesTest, ADigestIsHonoured) {
  const std::string id = Run(ScriptOf(kBusybox)).image_id;
  const ContainerStatus status = Run(ScriptOf("library/busybox:1.36@" + id));
  EXPECT_EQ(status.state.exit_code, 0);
  EXPECT_EQ(status.image_id, id);
  const std::string other = "sha256:" + std::string(64, '0');
  EXPECT_EQ(Run(ScriptOf("library/busybox@" + other)).state.reason, "ErrImagePull");
}

TEST_F(ImagesTest, HalfAnImageIsNeverTakenForAWhole) {
  registry_.Fail("0 1 0 GET .*/blobs/");
  EXPECT_EQ(Run(ScriptOf(kBusybox)).state.exit_code, 0);
  for (const int signal : {SIGTERM, SIGKILL}) {
    std::filesystem::remove_all(cache_);
    registry_.Fail("200 1 20 GET .*/blobs/");
    const std::unique_ptr<ScriptRun> run = Start(ScriptOf(kBusybox));
    EXPECT_TRUE(ScriptRun::Until([&] { return registry_.Count("HEAD .*/manifests/") > 0; }));
    run->Signal(signal);
    run->Wait();
    registry_.Fail("");
    EXPECT_EQ(Run(ScriptOf(kBusybox)).state.exit_code, 0);
    EXPECT_THAT(Leftovers(), testing::IsEmpty());
  }
}

}  // namespace
}  // namespace podferry
