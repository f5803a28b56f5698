// bazel run -c opt //core/wire:codec_benchmark

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/wire/codec.h"
#include "core/wire/testing/sample_messages.h"

namespace podferry::wire {
namespace {

// An offer whose script looks like a script: words that come again, with numbers that do not.
Offer OfferWithScript(int64_t bytes) {
  Offer offer = Sample<Offer>();
  offer.script = "#!/bin/bash\nset -u\n";
  for (int i = 0; static_cast<int64_t>(offer.script.size()) < bytes; ++i) {
    absl::StrAppend(&offer.script, "export VALUE_", i, "='", uint64_t{2654435761} * i * i,
                    "'\nmkdir -p \"$SANDBOX/volumes/", i, "\"\n");
  }
  offer.size = offer.script.size();
  offer.digest = Sha256Hex(offer.script);
  return offer;
}

void BM_EncodeOffer(benchmark::State& state) {
  const Offer offer = OfferWithScript(state.range(0));
  size_t size = 0;
  for (auto _ : state) size = Encode(offer).size();
  state.SetBytesProcessed(state.iterations() * state.range(0));
  state.counters["wire_bytes"] = static_cast<double>(size);
}
BENCHMARK(BM_EncodeOffer)->Arg(500)->Arg(10'000)->Arg(1'000'000);

void BM_DecodeOffer(benchmark::State& state) {
  const std::string bytes = Encode(OfferWithScript(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(Decode<Offer>(bytes));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_DecodeOffer)->Arg(500)->Arg(10'000)->Arg(1'000'000);

void BM_Sha256(benchmark::State& state) {
  const std::string script = OfferWithScript(state.range(0)).script;
  for (auto _ : state) benchmark::DoNotOptimize(Sha256Hex(script));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Sha256)->Arg(10'000);

void BM_EncodeStartReply(benchmark::State& state) {
  const StartReply reply = Sample<StartReply>();
  for (auto _ : state) benchmark::DoNotOptimize(Encode(reply));
}
BENCHMARK(BM_EncodeStartReply);

void BM_DecodeStartReply(benchmark::State& state) {
  const std::string bytes = Encode(Sample<StartReply>());
  for (auto _ : state) benchmark::DoNotOptimize(Decode<StartReply>(bytes));
}
BENCHMARK(BM_DecodeStartReply);

}  // namespace
}  // namespace podferry::wire

BENCHMARK_MAIN();
