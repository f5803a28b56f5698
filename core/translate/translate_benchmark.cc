// How long translation takes, parsing not included: bazel run -c opt
// //core/translate:translate_benchmark

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "core/base/testing/golden.h"
#include "core/pod/pod_validator.h"
#include "core/pod/testing/pod_builder.h"
#include "core/translate/translate.h"

namespace podferry {
namespace {

BuildConfig HostConfig() {
  BuildConfig config;
  config.runtime.kind = RuntimeKind::kHost;
  return config;
}

void Measure(const RetrievedPod& pod, benchmark::State& state) {
  const BuildConfig config = HostConfig();
  size_t bytes = 0;
  for (auto _ : state) {
    const Translation translation = Translate(pod, {"origin", "uid"}, "pool-a", config);
    if (!translation.issues.empty()) state.SkipWithError("refused");
    bytes = translation.bundle.script.size();
  }
  state.counters["script_bytes"] = static_cast<double>(bytes);
}

void BM_SimplePod(benchmark::State& state) {
  Issues issues;
  const auto pod = AdmitPod(ReadTestData("core/testdata/interlink/create-simple.json"), &issues);
  Measure(*pod, state);
}
BENCHMARK(BM_SimplePod);

void BM_TenContainers(benchmark::State& state) {
  PodBuilder pod;
  pod.Shell("true");
  for (int i = 0; i < 10; ++i) {
    if (i > 0) pod.AddContainer(absl::StrCat("container-", i)).Shell("echo hello; sleep 1");
    pod.EmptyDir("work", "/work").ConfigMap("config", "/config", {{"a", "1"}, {"b", "2"}});
    for (int j = 0; j < 10; ++j) pod.Env(absl::StrCat("NAME_", j), "a value of some length");
  }
  Measure(pod.Build(), state);
}
BENCHMARK(BM_TenContainers);

void BM_LargeConfigMap(benchmark::State& state) {
  PodBuilder pod;
  std::string text;
  while (text.size() < 500000) text += "key = some value, as configuration has it\n";
  pod.Shell("true").ConfigMap("config", "/config", {{"file", text}});
  Measure(pod.Build(), state);
}
BENCHMARK(BM_LargeConfigMap);

void BM_TwentyMebibytesOfSecret(benchmark::State& state) {
  PodBuilder pod;
  std::string bytes(20 << 20, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * i >> 7);
  pod.Shell("true").Secret("secret", "/secret", {{"file", bytes}});
  Measure(pod.Build(), state);
}
BENCHMARK(BM_TwentyMebibytesOfSecret)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace podferry
