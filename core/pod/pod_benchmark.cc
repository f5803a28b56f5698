// What POST /create costs before anything is stored. bazel run --config=opt
// //core/pod:pod_benchmark

#include <string>

#include "benchmark/benchmark.h"
#include "core/base/testing/golden.h"
#include "core/pod/pod_parser.h"
#include "core/pod/pod_validator.h"

namespace podferry {
namespace {

void BM_Admit(benchmark::State& state, const std::string& file) {
  const std::string json = ReadTestData("core/testdata/interlink/" + file);
  for (auto _ : state) {
    Issues issues;
    benchmark::DoNotOptimize(AdmitPod(json, &issues));
  }
  state.SetBytesProcessed(state.iterations() * json.size());
}
BENCHMARK_CAPTURE(BM_Admit, simple, "create-simple.json");
BENCHMARK_CAPTURE(BM_Admit, lifecycle, "create-lifecycle.json");
BENCHMARK_CAPTURE(BM_Admit, volumes, "create-volumes.json");

void BM_ParseStatusList(benchmark::State& state) {
  const std::string pod =
      R"({"metadata":{"name":"a-pod","namespace":"default","uid":"50998ef5-7fc6-4aad-a3d3-4823e81163eb",)"
      R"("annotations":{"JobID":"50998ef5-7fc6-4aad-a3d3-4823e81163eb"}},"spec":{"containers":[{"name":)"
      R"("main","image":"busybox"}],"restartPolicy":"Never"},"status":{"phase":"Running"}})";
  std::string list = "[" + pod;
  for (int i = 1; i < state.range(0); ++i) list += "," + pod;
  list += "]";
  for (auto _ : state) {
    Issues issues;
    benchmark::DoNotOptimize(ParsePodList(list, &issues));
  }
}
BENCHMARK(BM_ParseStatusList)->Arg(1)->Arg(1000);

}  // namespace
}  // namespace podferry

BENCHMARK_MAIN();
