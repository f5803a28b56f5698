// How fast records become durable. The folder is made below TMPDIR: point that at the disk to
// measure.
//   bazel run --config=opt //core/journal:journal_benchmark

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "core/journal/journal.h"
#include "core/os/asio_event_loop.h"
#include "core/os/posix_file_system.h"

namespace podferry {
namespace {

using SteadyClock = std::chrono::steady_clock;

std::string MakeFolder() {
  const char* parent = getenv("TMPDIR");
  std::string folder = absl::StrCat(parent != nullptr ? parent : "/tmp", "/journal-XXXXXX");
  if (mkdtemp(folder.data()) == nullptr) abort();
  return folder;
}

// `outstanding` clients, each of which appends the next record when its last is durable.
class Clients {
 public:
  Clients(AsioEventLoop& loop, Journal& journal, size_t bytes)
      : loop_(loop), journal_(journal), body_(bytes, 'x') {}

  void Append(int64_t count, int outstanding) {
    left_ = count;
    running_ = outstanding;
    for (int i = 0; i < outstanding; ++i) Next();
    loop_.Run();
  }

  // In milliseconds.
  double Percentile(double share) {
    const size_t index = static_cast<size_t>(share * (latencies_.size() - 1));
    std::nth_element(latencies_.begin(), latencies_.begin() + index, latencies_.end());
    return latencies_[index];
  }

 private:
  void Next() {
    if (left_ == 0) {
      if (--running_ == 0) loop_.Stop();
      return;
    }
    --left_;
    const auto start = SteadyClock::now();
    journal_.Append(
        {{1, "job/0b9d6f0e-3c1f-4a53-9e3e-6d1a0d4f1c11", body_}},
        [this, start](absl::StatusOr<std::vector<JournalPosition>> positions) {
          if (!positions.ok()) abort();
          latencies_.push_back(
              std::chrono::duration<double, std::milli>(SteadyClock::now() - start).count());
          Next();
        });
  }

  AsioEventLoop& loop_;
  Journal& journal_;
  const std::string body_;
  int64_t left_ = 0;
  int running_ = 0;
  std::vector<double> latencies_;
};

void BM_Append(benchmark::State& state) {
  PosixFileSystem files;
  const std::string folder = MakeFolder();
  constexpr int64_t kRecords = 20000;
  for (auto _ : state) {
    AsioEventLoop loop;
    JournalOptions options;
    options.folder = folder;
    auto journal = Journal::Open(options, files, loop, [](const JournalRecord&) {});
    if (!journal.ok()) abort();
    Clients clients(loop, **journal, state.range(1));
    clients.Append(kRecords, static_cast<int>(state.range(0)));
    state.counters["p50_ms"] = clients.Percentile(0.5);
    state.counters["p99_ms"] = clients.Percentile(0.99);
    const JournalStats stats = (*journal)->stats();
    state.counters["records_per_sync"] = static_cast<double>(stats.records) / stats.groups;
    journal->reset();
    state.PauseTiming();
    (void)files.RemoveAll(folder);
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * kRecords);
}
BENCHMARK(BM_Append)
    ->ArgNames({"outstanding", "bytes"})
    ->Args({1, 10000})
    ->Args({32, 10000})
    ->Args({32, 300})
    ->Args({256, 10000})
    ->Iterations(1)
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void BM_Replay(benchmark::State& state) {
  PosixFileSystem files;
  JournalOptions options;
  options.folder = MakeFolder();
  constexpr int64_t kRecords = 10000;
  AsioEventLoop loop;
  {
    auto journal = Journal::Open(options, files, loop, [](const JournalRecord&) {});
    if (!journal.ok()) abort();
    Clients(loop, **journal, state.range(0)).Append(kRecords, 32);
  }
  for (auto _ : state) {
    int64_t records = 0;
    auto journal = Journal::Open(options, files, loop, [&](const JournalRecord&) { ++records; });
    if (!journal.ok() || records != kRecords) abort();
  }
  state.SetBytesProcessed(state.iterations() * kRecords * state.range(0));
  (void)files.RemoveAll(options.folder);
}
BENCHMARK(BM_Replay)->ArgName("bytes")->Arg(10000)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace podferry
