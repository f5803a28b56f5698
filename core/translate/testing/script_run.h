// Runs a script as a submitter would: its own sandbox, its own process, and looks at what it leaves
// behind. Owned by a test; kills what is left when it goes. The bash is PODFERRY_TEST_BASH, or the
// system's.

#ifndef PODFERRY_CORE_TRANSLATE_TESTING_SCRIPT_RUN_H_
#define PODFERRY_CORE_TRANSLATE_TESTING_SCRIPT_RUN_H_

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/job/job_status.h"
#include "core/translate/sandbox.h"

namespace podferry {

class ScriptRun {
 public:
  // The script may be changed before Start(); variables are added to the test's own.
  explicit ScriptRun(absl::string_view script);
  ~ScriptRun();
  ScriptRun(const ScriptRun&) = delete;
  ScriptRun& operator=(const ScriptRun&) = delete;

  std::map<std::string, std::string>& variables() { return variables_; }

  ScriptRun& Start();
  void Signal(int signal) const;
  // The script's exit code (128 + signal if it was killed); the test fails after the time-out.
  int Wait(absl::Duration timeout = absl::Seconds(60));
  int Run() { return Start().Wait(); }
  // Starts the script once more in the same sandbox and waits.
  int RunAgain() const;

  const std::string& sandbox() const { return sandbox_; }
  pid_t pid() const { return pid_; }
  // Processes whose parent is the script, zombies included.
  int CountChildren() const;

  // Files of the sandbox; "" or a status of kind kUnspecified where there is none.
  std::string Read(const std::string& path) const;
  bool Has(const std::string& path) const;
  ContainerStatus Status(int index, absl::string_view container) const;
  std::string Log(int index, absl::string_view container, int attempt = 0) const;
  FinishedFile Finished() const;

  // Polls until the condition holds; false after the time-out.
  static bool Until(const std::function<bool()>& condition,
                    absl::Duration timeout = absl::Seconds(20));
  bool UntilState(int index, absl::string_view container, ContainerState::Kind kind) const;
  bool UntilLog(int index, absl::string_view container, absl::string_view text) const;

 private:
  pid_t Spawn() const;

  std::string root_;
  std::string script_path_;
  std::string sandbox_;
  std::map<std::string, std::string> variables_;
  pid_t pid_ = -1;
};

// Processes whose command line holds the text.
int CountProcesses(absl::string_view text);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_TESTING_SCRIPT_RUN_H_
