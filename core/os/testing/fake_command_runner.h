// A command runner that records what it is asked to run and answers from a script.
//
//   FakeCommandRunner runner(loop);
//   runner.OnCommand({"sbatch"}, {.out = "42\n"});
//   ...
//   EXPECT_THAT(runner.calls()[0].argv, ElementsAre("sbatch", "--parsable", _));

#ifndef PODFERRY_CORE_OS_TESTING_FAKE_COMMAND_RUNNER_H_
#define PODFERRY_CORE_OS_TESTING_FAKE_COMMAND_RUNNER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "core/os/command_runner.h"
#include "core/os/event_loop.h"

namespace podferry {

class FakeCommandRunner final : public CommandRunner {
 public:
  using Answer = absl::AnyInvocable<absl::StatusOr<CommandResult>(const Command&)>;

  explicit FakeCommandRunner(EventLoop& loop) : loop_(loop) {}

  // Answers commands whose argv begins with `prefix`. The newest answer that fits is taken, each as
  // often as it is asked for. A command that none fits is NOT_FOUND.
  void OnCommand(std::vector<std::string> prefix, Answer answer) {
    answers_.emplace_back(std::move(prefix), std::move(answer));
  }
  void OnCommand(std::vector<std::string> prefix, absl::StatusOr<CommandResult> answer) {
    OnCommand(std::move(prefix), [answer = std::move(answer)](const Command&) { return answer; });
  }

  void Run(Command command, Done done) override {
    absl::StatusOr<CommandResult> result = AnswerTo(command);
    calls_.push_back(std::move(command));
    loop_.Post([done = std::move(done), result = std::move(result)]() mutable {
      done(std::move(result));
    });
  }

  // Every command so far, in order.
  const std::vector<Command>& calls() const { return calls_; }

 private:
  absl::StatusOr<CommandResult> AnswerTo(const Command& command) {
    for (auto answer = answers_.rbegin(); answer != answers_.rend(); ++answer) {
      const std::vector<std::string>& prefix = answer->first;
      if (prefix.size() <= command.argv.size() &&
          std::equal(prefix.begin(), prefix.end(), command.argv.begin())) {
        return answer->second(command);
      }
    }
    return absl::NotFoundError("no answer scripted for: " + absl::StrJoin(command.argv, " "));
  }

  EventLoop& loop_;
  std::vector<std::pair<std::vector<std::string>, Answer>> answers_;
  std::vector<Command> calls_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_OS_TESTING_FAKE_COMMAND_RUNNER_H_
