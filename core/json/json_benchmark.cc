// Parsing, reading and writing a pod of about 10 kB. bazel run --config=opt
// //core/json:json_benchmark

#include <string>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "core/base/issues.h"
#include "core/json/document.h"
#include "core/json/writer.h"

namespace podferry::json {
namespace {

// The shape of what interLink sends: a few containers with environment, mounts and resources.
std::string Pod(int containers) {
  std::string out;
  Writer json(&out);
  json.BeginObject();
  json.Key("metadata");
  json.BeginObject();
  json.Field("name", "a-pod");
  json.Field("uid", "6ba7b810-9dad-41d1-80b4-00c04fd430c8");
  json.EndObject();
  json.Key("spec");
  json.BeginObject();
  json.Key("containers");
  json.BeginArray();
  for (int c = 0; c < containers; ++c) {
    json.BeginObject();
    json.Field("name", absl::StrCat("container-", c));
    json.Field("image", "docker.io/library/busybox:1.36");
    json.Key("env");
    json.BeginArray();
    for (int e = 0; e < 20; ++e) {
      json.BeginObject();
      json.Field("name", absl::StrCat("KUBERNETES_SERVICE_PORT_", e));
      json.Field("value", absl::StrCat("tcp://10.43.0.", e, ":443"));
      json.EndObject();
    }
    json.EndArray();
    json.Key("args");
    json.BeginArray();
    json.String("-c");
    json.String("set -e; for i in 1 2 3; do echo \"step $i\"; sleep 1; done\nexit 0\n");
    json.EndArray();
    json.Key("resources");
    json.Raw("{\"limits\":{\"cpu\":\"500m\",\"memory\":\"1Gi\"},\"requests\":{\"cpu\":1}}");
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  json.EndObject();
  return out;
}

size_t Visit(const Value& value) {
  size_t seen = 1;
  if (value.kind() == Kind::kObject) {
    for (const Member member : value.Members()) seen += Visit(member.value);
  } else if (value.kind() == Kind::kArray) {
    for (const Value item : value.Items()) seen += Visit(item);
  }
  return seen;
}

void SetBytes(benchmark::State& state, size_t bytes) {
  state.SetBytesProcessed(static_cast<int64_t>(bytes) * state.iterations());
  state.counters["bytes"] = static_cast<double>(bytes);
}

void BM_Parse(benchmark::State& state) {
  const std::string pod = Pod(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(Document::Parse(pod).value());
  SetBytes(state, pod.size());
}
BENCHMARK(BM_Parse)->Arg(1)->Arg(7)->Arg(70);

void BM_ParseAndVisit(benchmark::State& state) {
  const std::string pod = Pod(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    const Document document = Document::Parse(pod).value();
    Issues issues;
    benchmark::DoNotOptimize(Visit(document.Root(&issues)));
  }
  SetBytes(state, pod.size());
}
BENCHMARK(BM_ParseAndVisit)->Arg(7);

void BM_Write(benchmark::State& state) {
  const std::string pod = Pod(static_cast<int>(state.range(0)));
  const Document document = Document::Parse(pod).value();
  const Value root = document.Root(nullptr);
  for (auto _ : state) benchmark::DoNotOptimize(root.ToJson());
  SetBytes(state, pod.size());
}
BENCHMARK(BM_Write)->Arg(7);

void BM_WriteLongString(benchmark::State& state) {
  std::string text;
  while (text.size() < 100'000) text += "a line of a log, with \"quotes\" now and then\n";
  for (auto _ : state) benchmark::DoNotOptimize(Quote(text));
  SetBytes(state, text.size());
}
BENCHMARK(BM_WriteLongString);

}  // namespace
}  // namespace podferry::json
