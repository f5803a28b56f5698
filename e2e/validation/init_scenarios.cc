// 060, 065, 110: init containers. Without a network, what the suite downloads is written in place.

#include "e2e/validation/scenario.h"

namespace podferry::e2e {
namespace {

constexpr char kShared[] = R"([{"name":"shared","emptyDir":{}}])";

ContainerRequest With(ContainerRequest container) {
  container.mounts = {{"shared", "/shared"}};
  return container;
}

// The image's user is an ordinary one, who must be able to write the volume.
Scenario InitContainer() {
  Scenario scenario{.name = "060_init_container", .logs = {{"main", "^README\n$"}}};
  scenario.pod.volumes = kShared;
  scenario.pod.init_containers = {With(
      {.name = "clone",
       .command = {"sh", "-c", "mkdir /shared/repository && echo hi > /shared/repository/README"},
       .image = kUser})};
  scenario.pod.containers = {With(Bash("main", "ls /shared/repository"))};
  return scenario;
}

Scenario MultiInit() {
  Scenario scenario{.name = "065_multi_init",
                    .logs = {{"first", "✓ first"},
                             {"second", "✓ second"},
                             {"third", "✓ third"},
                             {"main", "MULTI_INIT_TEST_PASSED"}}};
  scenario.pod.volumes = kShared;
  scenario.pod.init_containers = {
      With(Bash("first", "[ -z \"$(ls /shared)\" ] && echo 1 >> /shared/order && echo ✓ first")),
      With(Bash("second",
                "[ $(cat /shared/order) = 1 ] && echo 2 >> /shared/order && echo ✓ second")),
      With(Python("third", R"(assert open('/shared/order').read() == '1\n2\n'
open('/shared/order', 'a').write('3\n')
print('✓ third'))"))};
  scenario.pod.containers = {With(Bash(
      "main", "[ \"$(echo $(cat /shared/order))\" = '1 2 3' ] && echo MULTI_INIT_TEST_PASSED"))};
  return scenario;
}

// What `apk add` needs beside a network: root, and a root file system that can be written and is
// thrown away with the container.
Scenario WritableRoot() {
  Scenario scenario{.name = "065_writable_root",
                    .logs = {{"install", "^installed\n$"}, {"main", "^as new\n$"}},
                    .needs_images = true};
  scenario.pod.init_containers = {
      {.name = "install",
       .command = {"sh", "-c",
                   "printf '#!/bin/sh\\necho installed\\n' > /usr/local/bin/tool && chmod +x "
                   "/usr/local/bin/tool && mkdir -p /opt/new && touch /etc/new && tool"},
       .image = kDebian}};
  scenario.pod.containers = {
      Bash("main", "[ ! -e /usr/local/bin/tool ] && [ ! -e /opt/new ] && echo as new")};
  return scenario;
}

// 110 is about batch Jobs; of the pods it wants: Failed, and the main container never began.
Scenario FailingInit() {
  Scenario scenario{.name = "110_failing_init",
                    .phase = "Failed",
                    .logs = {{"good", "good"}, {"bad", "bad"}, {"main", "^$"}},
                    .exit_codes = {{"good", 0}, {"bad", 9}}};
  scenario.pod.init_containers = {Bash("good", "echo good"), Bash("bad", "echo bad; exit 9"),
                                  Bash("never", "echo never")};
  scenario.pod.containers = {Bash("main", "echo never")};
  return scenario;
}

}  // namespace

std::vector<Scenario> InitScenarios() {
  return {InitContainer(), MultiInit(), WritableRoot(), FailingInit()};
}

}  // namespace podferry::e2e
