// 050, 100: pods that fail, and how.

#include "e2e/validation/scenario.h"

namespace podferry::e2e {
namespace {

Scenario Failing(const std::string& name, std::vector<ContainerRequest> containers) {
  Scenario scenario{.name = name, .phase = "Failed"};
  scenario.pod.containers = std::move(containers);
  return scenario;
}

ContainerRequest Limited(ContainerRequest container, const std::string& memory) {
  container.more["resources"] = R"({"limits":{"memory":")" + memory + R"("}})";
  return container;
}

Scenario Siblings() {
  Scenario scenario =
      Failing("100_one_of_three_fails",
              {Bash("one", "sleep 1; echo 'Container 1: Completed successfully'"),
               Bash("two", "echo 'Container 2: failing'; exit 1"),
               Bash("three", "sleep 1; echo 'Container 3: Completed successfully'")});
  scenario.logs = {{"one", "Container 1: Completed successfully"},
                   {"two", "Container 2: failing"},
                   {"three", "Container 3: Completed successfully"}};
  scenario.exit_codes = {{"one", 0}, {"two", 1}, {"three", 0}};
  return scenario;
}

}  // namespace

std::vector<Scenario> FailureScenarios() {
  std::vector<Scenario> all;
  all.push_back(Failing("050_limits", {Limited(Python("main", R"(print('allocating', flush=True)
block = bytearray(2 << 30)
for i in range(0, len(block), 4096): block[i] = 1
print('allocated'))"),
                                               "100Mi")}));
  all.back().logs = {{"main", "^allocating\n"}};

  all.push_back(Failing("100_exit_code", {Bash("main", "echo going; exit 42")}));
  all.back().logs = {{"main", "^going\n$"}};
  all.back().exit_codes = {{"main", 42}};

  // A container that cannot be created has no log of its own; runtimes differ in the code.
  all.push_back(Failing("100_command_not_found",
                        {{.command = {"/no/such/command", "--help"}, .image = kDebian}}));

  all.push_back(
      Failing("100_python_exception",
              {Python("main", "print('start', flush=True)\nraise ValueError('so it is')")}));
  all.back().logs = {{"main", "start\nTraceback .*ValueError: so it is"}};
  all.back().exit_codes = {{"main", 1}};

  all.push_back(Siblings());

  // At one go: a program that creeps towards its limit may have the kernel read its code from the
  // image again and again, minute after minute, before it kills.
  all.push_back(Failing("100_memory_limit", {Limited(Python("main", R"(
print('Attempting to allocate memory beyond limit', flush=True)
block = b'x' * (200 << 20)
print('never', flush=True))"),
                                                     "50Mi")}));
  all.back().logs = {{"main", "^Attempting to allocate memory beyond limit\n"}};
  return all;
}

}  // namespace podferry::e2e
