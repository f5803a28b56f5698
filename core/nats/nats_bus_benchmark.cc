// Requests and publications through a real nats-server on this machine, with both ends in this
// process: bazel run -c opt //core/nats:nats_bus_benchmark

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "core/nats/nats_bus.h"
#include "core/nats/testing/nats_server.h"
#include "core/os/asio_event_loop.h"
#include "core/os/testing/run_until.h"
#include "glog/logging.h"

namespace podferry {
namespace {

struct Pair {
  AsioEventLoop loop;
  std::unique_ptr<NatsServer> server;
  std::unique_ptr<NatsBus> asker;
  std::unique_ptr<NatsBus> answerer;

  Pair() {
    auto started = NatsServer::Start("max_payload: 64MB");
    CHECK(started.ok()) << started.status();
    server = *std::move(started);
    NatsOptions options;
    options.url = server->url();
    asker = *NatsBus::Create(loop, options);
    answerer = *NatsBus::Create(loop, options);
    CHECK(RunUntil(loop, [&] { return asker->connected() && answerer->connected(); }));
  }
  void Flush(Bus& bus) {
    bool answered = false;
    bus.Ping(absl::Seconds(10), [&](bool) { answered = true; });
    CHECK(RunUntil(loop, [&] { return answered; }));
  }
};

// Arguments: requests outstanding, bytes of each.
void BM_Request(benchmark::State& state) {
  Pair pair;
  const auto echo = *pair.answerer->Subscribe(
      "p.x", "", [&](BusMessage request) { CHECK(pair.answerer->Respond(request, "ok").ok()); });
  pair.Flush(*pair.answerer);
  const std::string payload(static_cast<size_t>(state.range(1)), 'x');
  int64_t outstanding = 0;
  int64_t answered = 0;
  const auto ask = [&] {
    ++outstanding;
    pair.asker->Request("p.x", payload, absl::Seconds(30), [&](absl::StatusOr<std::string> r) {
      CHECK(r.ok()) << r.status();
      --outstanding;
      ++answered;
    });
  };
  for (auto _ : state) {
    while (outstanding < state.range(0)) ask();
    const int64_t before = answered;
    CHECK(RunUntil(pair.loop, [&] { return answered > before; }));
  }
  CHECK(RunUntil(pair.loop, [&] { return outstanding == 0; }));
  state.SetItemsProcessed(answered);
}
BENCHMARK(BM_Request)->Args({1, 100})->Args({64, 100})->Args({64, 10'000})->UseRealTime();

// Argument: bytes of each message.
void BM_Publish(benchmark::State& state) {
  Pair pair;
  int64_t heard = 0;
  const auto subscription = *pair.answerer->Subscribe("p.x", "", [&](BusMessage) { ++heard; });
  pair.Flush(*pair.answerer);
  const std::string payload(static_cast<size_t>(state.range(0)), 'x');
  int64_t sent = 0;
  for (auto _ : state) {
    if (!RunUntil(pair.loop, [&] { return sent - heard < 100; })) break;
    CHECK(pair.asker->Publish("p.x", payload).ok());
    ++sent;
  }
  CHECK(RunUntil(pair.loop, [&] { return sent == heard; }));
  state.SetItemsProcessed(sent);
  state.SetBytesProcessed(sent * state.range(0));
}
BENCHMARK(BM_Publish)->Arg(100)->Arg(10'000)->Arg(1'000'000)->UseRealTime();

}  // namespace
}  // namespace podferry

int main(int argc, char** argv) {
  google::InitGoogleLogging(argv[0]);
  FLAGS_minloglevel = google::GLOG_ERROR;
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
