// 095: what an image says itself about how it is started. nginx and python:3.11 are not within
// reach: stand-ins with an ENTRYPOINT, a CMD or both say what they were started with.

#include "e2e/validation/scenario.h"

namespace podferry::e2e {
namespace {

Scenario Image(const std::string& name, ContainerRequest container, const std::string& pattern) {
  Scenario scenario{.name = name, .logs = {{"main", pattern}}, .needs_images = true};
  scenario.pod.containers = {std::move(container)};
  return scenario;
}

}  // namespace

std::vector<Scenario> ImageScenarios() {
  return {
      // Closed, stdin ends a shell at once.
      Image("095_shell_by_default", {.image = kBusybox}, "^$"),
      Image("095_entrypoint_and_command", {.image = kEntrypoint},
            "cwd </srv/work>\n.*argument <of the entrypoint>\n.*argument <of the command>\n"),
      Image("095_args_replace_cmd", {.image = kEntrypoint, .args = {"Args only", "test passed"}},
            "argument <of the entrypoint>\n.*argument <Args only>\nargument <test passed>\n$"),
      Image("095_command_replaces_entrypoint_and_cmd",
            {.command = {"/usr/bin/tell", "Default command"}, .image = kEntrypoint},
            "argument <[^>]*tell>\nargument <Default command>\n$"),
      Image("095_command_and_args",
            {.command = {"/usr/bin/tell", "both"}, .image = kEntrypoint, .args = {"of them"}},
            "argument <[^>]*tell>\nargument <both>\nargument <of them>\n$"),
      Image("095_cmd_alone", {.image = kCommand}, "argument <of the command>\n"),
      Image("095_args_are_the_program", {.image = kDebian, .args = {"python3", "--version"}},
            "^Python 3\\.11"),
      Image("095_version_on_stderr",
            {.command = {"sh", "-c"}, .image = kBusybox, .args = {"echo nginx version >&2"}},
            "^nginx version\n$"),
  };
}

}  // namespace podferry::e2e
