// What scripts do under Podman, seen from outside: each test runs one, with real containers.

#include <signal.h>
#include <sys/stat.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "core/translate/testing/podman_pool.h"
#include "core/translate/testing/script_run.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

constexpr char kHostile[] = "a \"b\" 'c' $HOME $(id) `id` \\n %s * ;&|<> \xC3\xA9\xF0\x9F\x98\x80";

class PodmanScriptTest : public testing::Test {
 protected:
  // Runs the pod to its end; its exit code.
  int Run(PodBuilder& pod) {
    run_ = pool_.Script(pod);
    const int code = run_->Run();
    EXPECT_EQ(pool_.Containers(), "");
    return code;
  }
  std::string Log(int index = 0, const std::string& container = "main") {
    return run_->Log(index, container);
  }

  PodmanPool pool_;
  std::unique_ptr<ScriptRun> run_;
};

TEST_F(PodmanScriptTest, CommandAndArgumentsTakeThePlaceOfEntrypointAndCommandOfTheImage) {
  const std::string own =
      "argument </usr/bin/tell>\nargument <of the entrypoint>\n"
      "argument <$HOME \"quoted\" 'it'>\n";
  const struct {
    std::vector<std::string> command;
    std::vector<std::string> args;
    std::string arguments;
  } cases[] = {
      {{}, {}, own + "argument <of the command>\nargument <>\n"},
      {{}, {"an arg", ""}, own + "argument <an arg>\nargument <>\n"},
      {{"/usr/bin/tell", "[x]"}, {}, "argument </usr/bin/tell>\nargument <[x]>\n"},
      {{"tell"}, {"-y", kHostile}, absl::StrCat("argument <-y>\nargument <", kHostile, ">\n")},
  };
  for (const auto& c : cases) {
    PodBuilder pod;
    pod.container().image = PodmanPool::kEntrypoint;
    pod.Command(c.command).Args(c.args);
    EXPECT_EQ(Run(pod), 0) << Log();
    EXPECT_THAT(Log(), AllOf(HasSubstr("cwd </srv/work>"), HasSubstr(c.arguments)));
  }
}

TEST_F(PodmanScriptTest, VariablesArriveByteForByteWhateverTheirNameAndValue) {
  const std::vector<std::pair<std::string, std::string>> variables = {
      {"EMPTY", ""},
      {"HOSTILE", kHostile},
      {"LINES_", "one\n\ntwo\n"},
      {"RETURN", "x\r"},
      {"TAB", "\t a\t"},
      {"dotted.name-x", "\"q\""},
      {"dotted.lines-x", "a\nb"},
      {"#name with spaces*", "x"},
      {"names", "a name of the script's\nown"},
      {"options", "\n"},
      {"engine", "x\ny"},
      {"LD_PRELOAD", "/not/there.so"},
      {"PATH", "/usr/local/bin:/usr/bin:/bin"},
      {"STAR", "*"},
      {"LONG", std::string(131000, 'x')},
  };
  PodBuilder pod;
  pod.Command({"cat", "/proc/self/environ"});
  std::vector<std::string> expected;
  for (const auto& [name, value] : variables) {
    pod.Env(name, value);
    expected.push_back(absl::StrCat(name, "=", value));
  }
  EXPECT_EQ(Run(pod), 0);
  const std::vector<std::string> arrived = absl::StrSplit(Log(), '\0');
  EXPECT_THAT(arrived, IsSupersetOf(expected));
}

TEST_F(PodmanScriptTest, AnArgumentMayBeAsLongAsLinuxTakesIt) {
  PodBuilder pod;
  pod.Command({"sh", "-c", "echo ${#1} ${#2}", "x"}).Args({std::string(131071, '\''), "\n"});
  EXPECT_EQ(Run(pod), 0);
  EXPECT_EQ(Log(), "131071 1\n");
}

TEST_F(PodmanScriptTest, MountsMayHaveAnyNameAndReadOnlyOnesCannotBeWritten) {
  const std::string path = absl::StrCat("/m,", absl::StrReplaceAll(kHostile, {{":", ""}}), "\n[x]");
  PodBuilder pod;
  pod.EmptyDir("data", path);
  pod.container().volume_mounts[0].sub_path = "su:b/$(id)";
  pod.EmptyDir("data", "/whole").Mount("data", "/fixed", true);
  pod.ConfigMap("config", "/config", {{"file", "text\n"}});
  pod.Command({"sh", "-c",
               "echo 1 > \"$1/made\"; cat '/whole/su:b/$(id)/made'; cat /config/file; "
               "touch /fixed/x || echo fixed; touch /config/x || echo fixed, too",
               "sh"});
  pod.Args({path});
  EXPECT_EQ(Run(pod), 0) << Log();
  EXPECT_THAT(Log(), AllOf(HasSubstr("1\ntext\n"), HasSubstr("fixed\n"), HasSubstr("fixed, too")));
}

TEST_F(PodmanScriptTest, TellsHowAContainerEnded) {
  const struct {
    std::vector<std::string> command;
    int code;
    int signal;
    std::string reason = "Error";
  } cases[] = {
      {{"sh", "-c", "echo out; echo err >&2; exit 3"}, 3, 0},
      {{"sh", "-c", "exit 125"}, 125, 0},
      {{"sh", "-c", "no-such-command"}, 127, 0},
      {{"sh", "-c", "sh -c 'kill -KILL $$$$'; exit $?"}, 137, 9},
      {{"no-such-command"}, 127, 0, "ContainerCannotRun"},
      {{"/etc/passwd"}, 126, 0, "ContainerCannotRun"},
  };
  for (const auto& c : cases) {
    PodBuilder pod;
    pod.Command(c.command);
    EXPECT_EQ(Run(pod), c.code);
    const ContainerStatus status = run_->Status(0, "main");
    EXPECT_EQ(status.state.reason, c.reason);
    EXPECT_EQ(status.state.exit_code, c.code);
    EXPECT_EQ(status.state.signal, c.signal);
    EXPECT_THAT(Log(), Not(HasSubstr("level=")));
  }
}

TEST_F(PodmanScriptTest, AContainerThatCannotBeMadeSaysWhyInPodmansWords) {
  pool_.config().podman.extra_args = {"--device", "/dev/no-such-device"};
  PodBuilder pod;
  pod.Shell("echo never");
  EXPECT_EQ(Run(pod), 128);
  EXPECT_EQ(run_->Status(0, "main").state.reason, "CreateContainerError");
  EXPECT_THAT(run_->Status(0, "main").state.message, HasSubstr("/dev/no-such-device"));
}

TEST_F(PodmanScriptTest, StdoutAndStderrStayInOrder) {
  PodBuilder pod;
  pod.Shell("for i in 1 2 3 4 5 6 7 8 9; do echo o$i; echo e$i >&2; echo d$i > /dev/stderr; done");
  std::string expected;
  for (int i = 1; i <= 9; ++i) absl::StrAppend(&expected, "o", i, "\ne", i, "\nd", i, "\n");
  EXPECT_EQ(Run(pod), 0);
  EXPECT_EQ(Log(), expected);
}

TEST_F(PodmanScriptTest, ContainersOfAPodShareLocalhostMemoryAndHostname) {
  PodBuilder pod("pod-name");
  pod.Shell("echo hello | nc -l -p 18799; cat /dev/shm/x; hostname; cat /etc/hosts")
      .AddContainer("other")
      .Shell("echo shared > /dev/shm/x; until nc 127.0.0.1 18799; do sleep 0.1; done");
  pod.spec().host_aliases = {{"192.0.2.7", {"some.where"}}};
  EXPECT_EQ(Run(pod), 0);
  EXPECT_EQ(Log(1, "other"), "hello\n");
  EXPECT_THAT(Log(), AllOf(HasSubstr("shared\npod-name\n"), HasSubstr("127.0.0.1\tpod-name\n"),
                           HasSubstr("192.0.2.7\tsome.where\n")));
}

TEST_F(PodmanScriptTest, RunsAsWhomThePodSaysWithTheRightsItLeaves) {
  PodBuilder pod;
  pod.EmptyDir("data", "/data")
      .Shell(
          "id; echo x > /dev/stderr; touch /data/x /x; ls -ln /data; grep -E 'CapEff|NoNew' "
          "/proc/self/status");
  pod.spec().security_context.supplemental_groups = {77};
  pod.spec().security_context.fs_group = 88;
  SecurityContext& security = pod.container().security_context;
  security.run_as_user = 1234;
  security.run_as_group = 2345;
  security.run_as_non_root = true;
  security.read_only_root_filesystem = true;
  security.allow_privilege_escalation = false;
  security.drop_capabilities = {"ALL"};
  EXPECT_EQ(Run(pod), 0);
  EXPECT_THAT(Log(),
              AllOf(HasSubstr("uid=1234(1234) gid=2345(2345) groups=77,88,"), HasSubstr("\nx\n"),
                    HasSubstr("/x: Read-only file system"), HasSubstr(" 1234 "),
                    HasSubstr("NoNewPrivs:\t1"), HasSubstr("CapEff:\t0000000000000000")));
}

TEST_F(PodmanScriptTest, RunAsNonRootHoldsForTheUserOfTheImage) {
  const struct {
    std::string image;
    std::string words;  // "": it runs
  } cases[] = {{PodmanPool::kBusybox, "the image runs as root"},
               {"docker.io/podferry/user:1", "app is root cannot be known"},
               {"docker.io/podferry/command:1", ""}};
  for (const auto& c : cases) {
    PodBuilder pod;
    pod.container().image = c.image;
    pod.Command({"id"});
    pod.container().security_context.run_as_non_root = true;
    EXPECT_EQ(Run(pod), c.words.empty() ? 0 : 128) << Log();
    EXPECT_THAT(run_->Status(0, "main").state.message, HasSubstr(c.words));
  }
}

TEST_F(PodmanScriptTest, HasATerminalOrAnOpenStdinOnlyWhenAskedFor) {
  PodBuilder pod;
  pod.Shell("test -t 1 && tty; echo done");
  pod.container().tty = true;
  EXPECT_EQ(Run(pod), 0);
  EXPECT_THAT(Log(), HasSubstr("/dev/pts/0"));

  PodBuilder closed;
  closed.Shell("tty; read x; echo $?");
  EXPECT_EQ(Run(closed), 0);
  EXPECT_EQ(Log(), "not a tty\n1\n");

  PodBuilder open;
  open.Shell("timeout 1 cat; echo $?");
  open.container().stdin_open = true;
  EXPECT_EQ(Run(open), 0);
  EXPECT_THAT(Log(), HasSubstr("143"));
}

TEST_F(PodmanScriptTest, MakesAWorkingDirectoryThatTheImageLacks) {
  PodBuilder pod;
  pod.Command({"pwd"});
  pod.container().working_dir = "/not/in the/image";
  EXPECT_EQ(Run(pod), 0);
  EXPECT_EQ(Log(), "/not/in the/image\n");
}

TEST_F(PodmanScriptTest, AContainerThatHadTooMuchMemoryIsOomKilledAndNoOtherIs) {
  PodBuilder pod;
  pod.Shell("x=$$(head -c 99000000 /dev/zero | tr '\\0' x); echo survived").Limit("memory", "30M");
  pod.Limit("cpu", "500m");
  EXPECT_EQ(Run(pod), 137);
  EXPECT_EQ(run_->Status(0, "main").state.reason, "OOMKilled");
  EXPECT_EQ(run_->Status(0, "main").state.signal, 9);

  PodBuilder other;
  other.Shell("sh -c 'kill -KILL $$$$'; exit $?").Limit("memory", "30M");
  EXPECT_EQ(Run(other), 137);
  EXPECT_EQ(run_->Status(0, "main").state.reason, "Error");
}

// A program of that name that writes down how it is called to run something, and ends with 5.
std::string Recorder(const std::string& name) {
  const std::string path = absl::StrCat(testing::TempDir(), "/", name);
  std::ofstream(path) << "#!/bin/sh\ncase \"$*\" in\n"
                         "  *'image inspect'*) printf 'sha256:1\\n\\n\\n\\n\\n' ;;\n"
                         "  *' run '*) printf '<%s>' \"$@\"; exit 5 ;;\nesac\n";
  chmod(path.c_str(), 0755);
  return path;
}

// Docker itself is not to be had here.
TEST_F(PodmanScriptTest, DockerIsGivenNoOptionThatOnlyPodmanHas) {
  pool_.config().podman.executable = Recorder("docker");
  PodBuilder pod;
  pod.Command({"[x", "y"}).Env("A", "b");
  pod.container().security_context.read_only_root_filesystem = true;
  run_ = pool_.Script(pod);
  EXPECT_EQ(run_->Run(), 5);
  EXPECT_THAT(Log(), AllOf(HasSubstr("<--log-driver><none>"), HasSubstr("<--read-only>"),
                           HasSubstr("<--entrypoint><[x>"), HasSubstr("<sha256:1><y>"),
                           Not(HasSubstr("passthrough")), Not(HasSubstr("http-proxy")),
                           Not(HasSubstr("read-only-tmpfs"))));
}

TEST_F(PodmanScriptTest, AnImageThatIsNotThereIsSaidWithItsName) {
  PodBuilder pod;
  pod.Shell("echo never");
  pod.container().image = "localhost/no/such:1";
  pod.container().image_pull_policy = "Never";
  EXPECT_EQ(Run(pod), 128);
  EXPECT_EQ(run_->Status(0, "main").state.reason, "ErrImageNeverPull");
  EXPECT_THAT(run_->Finished().message, HasSubstr("localhost/no/such:1 is not here"));
}

TEST_F(PodmanScriptTest, SaysWhichImageRanAndWaitsWithAnImageThatCannotBePulled) {
  PodBuilder pod;
  pod.Shell("true").AddContainer("other").Shell("true");
  pod.container().image = "127.0.0.1:9/no/such:1";
  run_ = pool_.Script(pod);
  run_->Start();
  ASSERT_TRUE(
      ScriptRun::Until([&] { return run_->Status(1, "other").state.reason == "ImagePullBackOff"; },
                       absl::Seconds(60)));
  EXPECT_THAT(run_->Status(1, "other").state.message, HasSubstr("127.0.0.1:9"));
  EXPECT_THAT(run_->Status(0, "main").image_id, HasSubstr("busybox@sha256:"));
  run_->Signal(SIGTERM);
  EXPECT_EQ(run_->Wait(), 143);
}

TEST_F(PodmanScriptTest, PassesOnTheGpusThatTheBatchSystemGave) {
  pool_.config().podman.executable = Recorder("podman");
  PodBuilder pod;
  pod.Shell("true").Limit("nvidia.com/gpu", "2");
  run_ = pool_.Script(pod);
  run_->variables()["CUDA_VISIBLE_DEVICES"] = "1,3";
  EXPECT_EQ(run_->Run(), 5);
  EXPECT_THAT(Log(), HasSubstr("<--device><nvidia.com/gpu=1><--device><nvidia.com/gpu=3>"));
}

}  // namespace
}  // namespace podferry
