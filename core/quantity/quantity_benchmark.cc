// bazel run --config=opt //core/quantity:quantity_benchmark

#include "benchmark/benchmark.h"
#include "core/quantity/quantity.h"

namespace podferry {
namespace {

constexpr const char* kTexts[] = {"500m", "1.5Gi", "123456789", "1e3"};

void BM_Parse(benchmark::State& state) {
  const char* text = kTexts[state.range(0)];
  for (auto _ : state) benchmark::DoNotOptimize(Quantity::Parse(text).value());
  state.SetLabel(text);
}
BENCHMARK(BM_Parse)->DenseRange(0, 3);

void BM_Print(benchmark::State& state) {
  const Quantity quantity = Quantity::Parse(kTexts[state.range(0)]).value();
  for (auto _ : state) benchmark::DoNotOptimize(quantity.ToString());
  state.SetLabel(quantity.ToString());
}
BENCHMARK(BM_Print)->DenseRange(0, 3);

}  // namespace
}  // namespace podferry
