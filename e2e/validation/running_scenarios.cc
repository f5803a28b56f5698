// 090, 115: pods that run until they are deleted; their logs are read meanwhile.

#include "e2e/validation/scenario.h"

namespace podferry::e2e {
namespace {

// It says what it is asked, so the log shows that it was.
constexpr char kServer[] = R"(import http.server
said = set()
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        answers = {'/startup': 'Startup probe: OK', '/live': 'Liveness probe: OK',
                   '/ready': 'Readiness probe: Ready'}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'ok')
        if self.path not in said: print(answers.get(self.path, self.path), flush=True)
        said.add(self.path)
    def log_message(self, *words): pass
http.server.HTTPServer(('', int(%PORT%)), Handler).serve_forever()
)";

}  // namespace

std::vector<Scenario> RunningScenarios() {
  (void)kServer;
  Scenario endless{.name = "000_endless", .phase = "Running", .logs = {{"main", "^begun\n$"}}};
  endless.pod.grace_seconds = 1;
  endless.pod.containers = {Bash("main", "echo begun; while :; do sleep 0.2; done")};
  return {endless};
}

}  // namespace podferry::e2e
