// Pulls scripts that did not fit into their offers from the plugin, piece by piece, and checks that
// they are what was offered. A plugin that does not answer is asked again for as long as it takes:
// the job was started, so it is this submitter's to run.
//
// Owned by the job runner, on the bus for bundles and logs; loop thread only.

#ifndef PODFERRY_SUBMITTER_BUNDLE_FETCHER_H_
#define PODFERRY_SUBMITTER_BUNDLE_FETCHER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/job/job_request.h"
#include "core/nats/bus.h"
#include "core/os/event_loop.h"
#include "core/wire/messages.h"
#include "core/wire/subjects.h"
#include "submitter/lifetime.h"

namespace podferry {

class BundleFetcher {
 public:
  using Done = absl::AnyInvocable<void(absl::StatusOr<std::string>)>;

  BundleFetcher(const wire::Subjects& subjects, SubmitterStamp self, Bus& bus, EventLoop& loop);
  ~BundleFetcher();

  // The script with this digest and size. NOT_FOUND: the plugin has no such bundle, so it will
  // never come. A few are fetched at a time, others wait: each may take 64 MiB of memory.
  void Fetch(const JobDescription& job, const std::string& digest, uint64_t size, Done done);

  // Its job has been deleted: `done` is not called.
  void Forget(const JobKey& key);

 private:
  struct Transfer;

  void StartSome();
  void AskForPiece(const JobKey& key);
  void OnPiece(const JobKey& key, uint64_t attempt, absl::StatusOr<std::string> answer);
  void AskAgainLater(Transfer& transfer);
  void Finish(const JobKey& key, absl::StatusOr<std::string> script);

  const wire::Subjects& subjects_;
  const SubmitterStamp self_;
  Bus& bus_;
  EventLoop& loop_;
  absl::flat_hash_map<JobKey, std::unique_ptr<Transfer>> transfers_;
  std::deque<JobKey> waiting_;
  int running_ = 0;
  Lifetime lifetime_;
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_BUNDLE_FETCHER_H_
