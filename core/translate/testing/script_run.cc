#include "core/translate/testing/script_run.h"

#include <dirent.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"

extern char** environ;

namespace podferry {
namespace {

// Not by a stream: reading the /proc file of a process that has just gone would throw.
std::string ReadFile(const std::string& path) {
  std::string content;
  FILE* file = fopen(path.c_str(), "rb");
  if (file == nullptr) return content;
  char buffer[65536];
  for (size_t size = 0; (size = fread(buffer, 1, sizeof(buffer), file)) > 0;) {
    content.append(buffer, size);
  }
  fclose(file);
  return content;
}

std::string TestBash() {
  const char* bash = getenv("PODFERRY_TEST_BASH");
  return bash != nullptr ? bash : "/bin/bash";
}

int ExitCode(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

ScriptRun::ScriptRun(absl::string_view script) {
  root_ = absl::StrCat(testing::TempDir(), "/run.XXXXXX");
  EXPECT_NE(mkdtemp(root_.data()), nullptr) << root_;
  script_path_ = root_ + "/job.sh";
  sandbox_ = root_ + "/sandbox";
  variables_["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  std::ofstream file(script_path_, std::ios::binary);
  file.write(script.data(), static_cast<std::streamsize>(script.size()));
}

ScriptRun::~ScriptRun() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(root_, ignored);
}

pid_t ScriptRun::Spawn() const {
  std::vector<std::string> env = {absl::StrCat(kSandboxVariable, "=", sandbox_)};
  for (const auto& [name, value] : variables_) env.push_back(absl::StrCat(name, "=", value));
  std::vector<char*> envp;
  for (std::string& variable : env) envp.push_back(variable.data());
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const absl::string_view text = *variable;
    if (variables_.count(std::string(text.substr(0, text.find('=')))) == 0) {
      envp.push_back(*variable);
    }
  }
  envp.push_back(nullptr);
  std::string bash = TestBash();
  std::string path = script_path_;
  char* argv[] = {bash.data(), path.data(), nullptr};
  pid_t pid = -1;
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // pgroup 0: one of its own
  EXPECT_EQ(posix_spawn(&pid, bash.c_str(), nullptr, &attributes, argv, envp.data()), 0) << bash;
  posix_spawnattr_destroy(&attributes);
  return pid;
}

ScriptRun& ScriptRun::Start() {
  pid_ = Spawn();
  return *this;
}

void ScriptRun::Signal(int signal) const { kill(pid_, signal); }

int ScriptRun::Wait(absl::Duration timeout) {
  int status = 0;
  const bool ended = Until([&] { return waitpid(pid_, &status, WNOHANG) == pid_; }, timeout);
  EXPECT_TRUE(ended) << "the script did not end within " << timeout;
  if (!ended) return -1;
  pid_ = -1;
  return ExitCode(status);
}

int ScriptRun::RunAgain() const {
  int status = 0;
  waitpid(Spawn(), &status, 0);
  return ExitCode(status);
}

std::string ScriptRun::Read(const std::string& path) const {
  return ReadFile(absl::StrCat(sandbox_, "/", path));
}

bool ScriptRun::Has(const std::string& path) const {
  return std::filesystem::exists(absl::StrCat(sandbox_, "/", path));
}

ContainerStatus ScriptRun::Status(int index, absl::string_view container) const {
  const std::string text = ReadFile(SandboxPaths::Status(sandbox_, index, container));
  if (text.empty()) return {};
  const absl::StatusOr<ContainerStatus> status = ParseContainerFile(text);
  EXPECT_TRUE(status.ok()) << status.status() << "\n" << text;
  return status.value_or(ContainerStatus());
}

std::string ScriptRun::Log(int index, absl::string_view container, int attempt) const {
  return ReadFile(SandboxPaths::Log(sandbox_, index, container, attempt));
}

FinishedFile ScriptRun::Finished() const {
  const absl::StatusOr<FinishedFile> finished = ParseFinishedFile(Read("finished"));
  EXPECT_TRUE(finished.ok()) << finished.status();
  return finished.value_or(FinishedFile());
}

bool ScriptRun::Until(const std::function<bool()>& condition, absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  while (!condition()) {
    if (absl::Now() > deadline) return false;
    usleep(2000);
  }
  return true;
}

bool ScriptRun::UntilState(int index, absl::string_view container,
                           ContainerState::Kind kind) const {
  return Until([&] { return Status(index, container).state.kind == kind; });
}

bool ScriptRun::UntilLog(int index, absl::string_view container, absl::string_view text) const {
  return Until([&] { return absl::StrContains(Log(index, container), text); });
}

int ScriptRun::CountChildren() const {
  int count = 0;
  DIR* proc = opendir("/proc");
  while (const dirent* entry = readdir(proc)) {
    const std::string stat = ReadFile(absl::StrCat("/proc/", entry->d_name, "/stat"));
    const size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos || name_end + 4 > stat.size()) continue;
    count += atoi(stat.c_str() + name_end + 4) == pid_ ? 1 : 0;
  }
  closedir(proc);
  return count;
}

int CountProcesses(absl::string_view text) {
  int count = 0;
  DIR* proc = opendir("/proc");
  while (const dirent* entry = readdir(proc)) {
    const std::string line = ReadFile(absl::StrCat("/proc/", entry->d_name, "/cmdline"));
    if (absl::StrContains(line, text)) ++count;
  }
  closedir(proc);
  return count;
}

}  // namespace podferry
