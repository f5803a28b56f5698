// A server that answers as a plugin would and does nothing else: what HTTP alone costs, as the
// floor under the plugin's own figures. Prints its URL and runs until it is told to stop.
//
//   null_plugin [LISTEN-ADDRESS]

#include <csignal>
#include <iostream>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "core/http/http_server.h"
#include "core/os/asio_event_loop.h"

int main(int argc, char** argv) {
  podferry::AsioEventLoop loop;
  const absl::StatusOr<podferry::ListenAddress> address =
      podferry::ParseListenAddress(argc > 1 ? argv[1] : "127.0.0.1:0");
  if (!address.ok()) {
    std::cerr << address.status().message() << "\n";
    return 2;
  }
  const auto server = podferry::HttpServer::Start(
      loop, {.address = *address},
      [](podferry::HttpRequest request, podferry::ResponseWriter writer) {
        writer.Send(podferry::HttpResponse::Json(
            200, request.path == "/create" ? R"({"PodUID":"x","PodJID":"x"})" : "[]"));
      });
  if (!server.ok()) {
    std::cerr << server.status().message() << "\n";
    return 1;
  }
  std::cout << (*server)->url() << std::endl;
  const podferry::Subscription signals =
      loop.OnSignals({SIGINT, SIGTERM}, [&loop](int) { loop.Stop(); });
  loop.Run();
  return 0;
}
