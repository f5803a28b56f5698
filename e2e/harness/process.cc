#include "e2e/harness/process.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "glog/logging.h"

namespace podferry::e2e {
namespace {

std::string ReadProc(pid_t pid, const char* file) {
  std::ifstream in(absl::StrCat("/proc/", pid, "/", file));
  return {std::istreambuf_iterator<char>(in), {}};
}

bool Become(const User& user) {
  return setgroups(0, nullptr) == 0 && setresgid(user.gid, user.gid, user.gid) == 0 &&
         setresuid(user.uid, user.uid, user.uid) == 0;
}

[[noreturn]] void Exec(const Process::Options& options, int input) {
  int log = open(options.log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(input >= 0 ? input : open("/dev/null", O_RDONLY), 0);
  dup2(log, 1);
  dup2(log, 2);
  for (const auto& [name, value] : options.env) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> argv;
  for (const std::string& argument : options.argv) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  if (options.user.has_value() && !Become(*options.user)) _exit(126);
  execvp(argv[0], argv.data());
  _exit(127);
}

}  // namespace

std::unique_ptr<Process> Process::Start(Options options) {
  int input[2] = {-1, -1};
  if (options.keep_stdin_open) PCHECK(pipe2(input, O_CLOEXEC) == 0);
  pid_t pid = fork();
  PCHECK(pid >= 0) << "fork";
  if (pid == 0) Exec(options, input[0]);
  if (input[0] >= 0) close(input[0]);
  return std::unique_ptr<Process>(new Process(pid, input[1]));
}

Process::~Process() {
  Kill();
  if (stdin_end_ >= 0) close(stdin_end_);
}

void Process::Signal(int signal) {
  if (!exit_) kill(pid_, signal);
}

void Process::Kill() {
  Signal(SIGKILL);
  WaitForExit(absl::InfiniteDuration());
}

std::optional<int> Process::WaitForExit(absl::Duration deadline) {
  absl::Time end = absl::Now() + deadline;
  while (!exit_) {
    int status = 0;
    pid_t done = waitpid(pid_, &status, deadline == absl::InfiniteDuration() ? 0 : WNOHANG);
    if (done == pid_) {
      exit_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    } else if (absl::Now() >= end) {
      return std::nullopt;
    } else {
      absl::SleepFor(absl::Milliseconds(5));
    }
  }
  return exit_;
}

bool Process::Running() { return !WaitForExit(absl::ZeroDuration()).has_value(); }

bool Process::Stopped() const {
  if (exit_) return false;
  std::string stat = ReadProc(pid_, "stat");
  size_t end = stat.rfind(')');
  return end != std::string::npos && end + 2 < stat.size() && stat[end + 2] == 'T';
}

int64_t Process::ResidentBytes() const {
  for (absl::string_view line : absl::StrSplit(ReadProc(pid_, "status"), '\n')) {
    int64_t kilobytes = 0;
    if (absl::ConsumePrefix(&line, "VmRSS:") && absl::ConsumeSuffix(&line, "kB") &&
        absl::SimpleAtoi(line, &kilobytes)) {
      return kilobytes * 1024;
    }
  }
  return 0;
}

}  // namespace podferry::e2e
