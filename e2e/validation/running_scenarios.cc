// 090, 115 (under `host` alone: the Debian image has no Python with an HTTP server): pods that run
// until they are deleted; their logs are read meanwhile.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "e2e/harness/site.h"
#include "e2e/validation/scenario.h"

namespace podferry::e2e {
namespace {

// It says what it is asked, so the log shows that it was.
constexpr char kServer[] = R"(import http.server
answers = {'/startup': 'Startup probe: OK', '/live': 'Liveness probe: OK',
           '/ready': 'Readiness probe: Ready'}
said = set()
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'ok')
        if self.path not in said: print(answers.get(self.path, self.path), flush=True)
        said.add(self.path)
    def log_message(self, *words): pass
http.server.HTTPServer(('127.0.0.1', %PORT%), Handler).serve_forever()
)";

std::string Probe(absl::string_view path, int port, absl::string_view more) {
  return absl::StrCat(R"({"httpGet":{"host":"127.0.0.1","path":")", path, R"(","port":)", port,
                      R"(},"periodSeconds":1,)", more, "}");
}

Scenario Probes() {
  const int port = FreePort();
  Scenario scenario{.name = "090_probes",
                    .phase = "Running",
                    .logs = {{"main", "Startup probe: OK"},
                             {"main", "Liveness probe: OK"},
                             {"main", "Readiness probe: Ready"}}};
  ContainerRequest main =
      Python("main", absl::StrReplaceAll(kServer, {{"%PORT%", absl::StrCat(port)}}));
  main.more["startupProbe"] = Probe("/startup", port, R"("failureThreshold":60)");
  main.more["livenessProbe"] = Probe("/live", port, R"("failureThreshold":30)");
  main.more["readinessProbe"] = Probe("/ready", port, R"("failureThreshold":3)");
  scenario.pod.grace_seconds = 1;
  scenario.pod.containers = {main};
  return scenario;
}

// The hook runs in the container, beside its program: the two share its files.
Scenario Lifecycle() {
  Scenario scenario{.name = "115_lifecycle",
                    .phase = "Running",
                    .logs = {{"main", "begun\nthe hook said: hello from postStart\n"}}};
  ContainerRequest main = Bash("main", R"J(echo begun
for i in {1..300}; do [ -e /state/said ] && break; sleep 0.1; done
echo "the hook said: $(cat /state/said)"
trap 'exit 0' TERM
while :; do sleep 0.1; done)J");
  main.more["lifecycle"] = R"J({
    "postStart":{"exec":{"command":["sh","-c",
      "echo hello from postStart > /state/part && mv /state/part /state/said"]}},
    "preStop":{"exec":{"command":["sh","-c","echo bye > /state/bye"]}}})J";
  main.mounts["state"] = "/state";
  scenario.pod.volumes = R"([{"name":"state","emptyDir":{}}])";
  scenario.pod.grace_seconds = 2;
  scenario.pod.containers = {main};
  return scenario;
}

}  // namespace

std::vector<Scenario> RunningScenarios() {
  Scenario endless{.name = "000_endless", .phase = "Running", .logs = {{"main", "^begun\n$"}}};
  endless.pod.grace_seconds = 1;
  endless.pod.containers = {Bash("main", "echo begun; while :; do sleep 0.2; done")};
  return {endless, Probes(), Lifecycle()};
}

}  // namespace podferry::e2e
