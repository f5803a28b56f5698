// How long a daemon with 10,000 jobs takes to have its store again: each has a record of 500 bytes
// and a body of 10 kB. The folder is made below TMPDIR.
//   bazel run --config=opt //core/store:local_store_benchmark

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "core/os/asio_event_loop.h"
#include "core/os/posix_file_system.h"
#include "core/os/worker_pool.h"
#include "core/store/local_store.h"

namespace podferry {
namespace {

constexpr int kJobs = 10000;

std::string MakeFolder() {
  const char* parent = getenv("TMPDIR");
  std::string folder = absl::StrCat(parent != nullptr ? parent : "/tmp", "/store-XXXXXX");
  if (mkdtemp(folder.data()) == nullptr) abort();
  return folder;
}

class Fixture {
 public:
  Fixture() {
    options_.journal.folder = MakeFolder();
    Open();
    int done = 0;
    for (int i = 0; i < kJobs; ++i) {
      const std::string uid = absl::StrCat("0b9d6f0e-3c1f-4a53-9e3e-", i);
      store_->Write({Mutation::Put("job/" + uid, std::string(500, 'j')),
                     Mutation::Put("body/" + uid, std::string(10000, 'b'))},
                    [this, &done](absl::Status status) {
                      if (!status.ok()) abort();
                      if (++done == kJobs) loop_.Stop();
                    });
    }
    loop_.Run();
  }
  ~Fixture() {
    store_.reset();
    (void)files_.RemoveAll(options_.journal.folder);
  }

  void Open() {
    store_.reset();
    absl::StatusOr<std::unique_ptr<LocalStore>> store =
        LocalStore::Open(options_, files_, loop_, pool_);
    if (!store.ok()) abort();
    store_ = *std::move(store);
  }

  void ScanJobs() {
    loop_.RunReady();  // A loop that was stopped goes on.
    store_->Scan("job/", [this](absl::StatusOr<Store::Entries> entries) {
      if (!entries.ok() || entries->size() != kJobs) abort();
      loop_.Stop();
    });
    loop_.Run();
  }

 private:
  PosixFileSystem files_;
  AsioEventLoop loop_;
  ThreadWorkerPool pool_{loop_, 2};
  LocalStoreOptions options_;
  std::unique_ptr<LocalStore> store_;
};

void BM_Open(benchmark::State& state) {
  Fixture fixture;
  for (auto _ : state) fixture.Open();
}
BENCHMARK(BM_Open)->UseRealTime()->Unit(benchmark::kMillisecond);

void BM_ScanJobs(benchmark::State& state) {
  Fixture fixture;
  for (auto _ : state) fixture.ScanJobs();
}
BENCHMARK(BM_ScanJobs)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace podferry
