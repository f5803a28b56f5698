#include "core/base/failpoint.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"

namespace podferry::failpoint_internal {

std::optional<Plan> ParsePlan(absl::string_view text) {
  Plan plan;
  const size_t equals = text.find('=');
  absl::string_view where = text.substr(0, equals);
  bool pass_given = false;
  if (const size_t colon = where.rfind(':'); colon != absl::string_view::npos) {
    if (!absl::SimpleAtoi(where.substr(colon + 1), &plan.pass) || plan.pass < 1) return {};
    where = where.substr(0, colon);
    pass_given = true;
  }
  if (where.empty()) return {};
  plan.name = std::string(where);
  if (equals == absl::string_view::npos) return plan;

  absl::string_view action = text.substr(equals + 1);
  if (action == "stop") {
    plan.action = Action::kStop;
    return plan;
  }
  int64_t milliseconds = 0;
  if (!absl::ConsumePrefix(&action, "sleep:") || !absl::SimpleAtoi(action, &milliseconds) ||
      milliseconds < 0) {
    return {};
  }
  plan.action = Action::kSleep;
  plan.sleep = absl::Milliseconds(milliseconds);
  plan.every_pass = !pass_given;
  return plan;
}

const Plan* ArmedPlan() {
  static const Plan* const armed = []() -> const Plan* {
    const char* text = std::getenv("PODFERRY_FAILPOINT");
    if (text == nullptr || *text == '\0') return nullptr;
    std::optional<Plan> plan = ParsePlan(text);
    if (!plan.has_value()) {
      std::fprintf(stderr, "PODFERRY_FAILPOINT=%s: want NAME[:PASS][=sleep:MS|=stop]\n", text);
      _exit(2);
    }
    return new Plan(*std::move(plan));
  }();
  return armed;
}

void Pass(const Plan& plan, absl::string_view name) {
  if (name != plan.name) return;
  static std::atomic<int64_t> passes{0};
  if (const int64_t pass = ++passes; !plan.every_pass && pass != plan.pass) return;
  switch (plan.action) {
    case Action::kSleep:
      absl::SleepFor(plan.sleep);
      return;
    case Action::kStop:
      std::fprintf(stderr, "failpoint %s: stopping\n", plan.name.c_str());
      kill(getpid(), SIGSTOP);
      return;
    case Action::kKill:
      std::fprintf(stderr, "failpoint %s: dying\n", plan.name.c_str());
      kill(getpid(), SIGKILL);
      // The signal may take a moment to arrive; nothing after this line may happen.
      while (true) pause();
  }
}

}  // namespace podferry::failpoint_internal
