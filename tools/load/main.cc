// load: how fast a plugin admits pods and answers for them.
//
//   load create --url http://127.0.0.1:4000 --clients 32 --count 50000 --body-bytes 10000 --pool a
//   load status --url unix:/run/plugin.sock --run 1f00 --pods 1000 --count 200 --clients 1
//   load ping   --url http://127.0.0.1:4000 --count 100000
//
// "create" prints the run's number, by which "status" asks for the same pods. Exits 0 if every
// request was answered 200, 1 if not, 2 for a mistake on the command line.

#include <CLI/CLI.hpp>
#include <iostream>
#include <random>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "core/http/listen_address.h"
#include "tools/load/latencies.h"
#include "tools/load/pod_requests.h"
#include "tools/load/runner.h"

namespace podferry::load {
namespace {

struct Flags {
  std::string url = "http://127.0.0.1:4000";
  size_t clients = 32;
  size_t count = 10000;
  size_t body_bytes = 10000;
  uint32_t pods = 1;
  uint32_t created = 0;
  std::string pool = "load";
  std::string run;
};

int Fail(absl::string_view why) {
  std::cerr << "load: " << why << "\n";
  return 2;
}

int RunAndReport(const Flags& flags, const ListenAddress& server, uint32_t run,
                 const RequestTemplate& request) {
  RunOptions options;
  options.server = server;
  options.clients = flags.clients;
  options.requests = flags.count;
  options.run = run;
  // A request asks for consecutive pods: the last may begin where it still ends within the run's.
  if (flags.created > flags.pods) options.pod_cycle = flags.created - flags.pods + 1;
  if (flags.created > 0 && flags.created <= flags.pods) options.pod_cycle = 1;
  const absl::StatusOr<Outcome> outcome = RunLoad(options, request);
  if (!outcome.ok()) {
    std::cerr << "load: " << outcome.status().message() << "\n";
    return 1;
  }
  std::cout << absl::StrFormat("run       %08x\n", run) << Report(*outcome, request.pods());
  return AllGood(*outcome) ? 0 : 1;
}

void AddCommonFlags(CLI::App* command, Flags* flags) {
  command->add_option("--url", flags->url, "http://ADDRESS:PORT or unix:/path")
      ->capture_default_str();
  command->add_option("--clients", flags->clients, "connections, each with one request at a time")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command->add_option("--count", flags->count, "requests in all")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--run", flags->run,
                      "8 hexadecimal digits that the pods' names and UIDs begin with "
                      "(default: random)");
}

CLI::App* AddCreate(CLI::App& app, Flags* flags) {
  CLI::App* create = app.add_subcommand("create", "POST /create, a new pod each");
  AddCommonFlags(create, flags);
  create->add_option("--body-bytes", flags->body_bytes, "size of a request's body")
      ->capture_default_str();
  create->add_option("--pool", flags->pool, "the pool of the pods' toleration")
      ->capture_default_str();
  return create;
}

CLI::App* AddStatus(CLI::App& app, Flags* flags) {
  CLI::App* status = app.add_subcommand("status", "GET /status of pods of a run");
  AddCommonFlags(status, flags);
  status->add_option("--pods", flags->pods, "pods in one request")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  status->add_option("--created", flags->created,
                     "ask only for the run's first so many pods (default: ever further ones)");
  return status;
}

int Main(int argc, char** argv) {
  Flags flags;
  CLI::App app("Puts load on a podferry plugin and prints rates and latencies.", "load");
  app.require_subcommand(1);
  const CLI::App* create = AddCreate(app, &flags);
  const CLI::App* status = AddStatus(app, &flags);
  AddCommonFlags(app.add_subcommand("ping", "GET /status of no pod, as interLink's ping"), &flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }

  absl::string_view address = flags.url;
  absl::ConsumePrefix(&address, "http://");
  absl::ConsumeSuffix(&address, "/");
  const absl::StatusOr<ListenAddress> server = ParseListenAddress(address);
  if (!server.ok()) return Fail(server.status().message());
  uint32_t run = std::random_device()();
  if (!flags.run.empty() && !absl::SimpleHexAtoi(flags.run, &run)) {
    return Fail("--run is no hexadecimal number");
  }
  const std::string host = server->kind == ListenAddress::Kind::kUnix ? "unix" : server->ToString();
  const RequestTemplate request = create->parsed()
                                      ? RequestTemplate::Create(host, flags.pool, flags.body_bytes)
                                  : status->parsed() ? RequestTemplate::Status(host, flags.pods)
                                                     : RequestTemplate::Ping(host);
  return RunAndReport(flags, *server, run, request);
}

}  // namespace
}  // namespace podferry::load

int main(int argc, char** argv) { return podferry::load::Main(argc, argv); }
