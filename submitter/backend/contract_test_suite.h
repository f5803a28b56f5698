// What every backend promises, as tests. A backend's own test brings a harness and instantiates the
// suite with it:
//
//   INSTANTIATE_TEST_SUITE_P(Host, BackendContractTest, testing::Values([] { return ...; }));

#ifndef PODFERRY_SUBMITTER_BACKEND_CONTRACT_TEST_SUITE_H_
#define PODFERRY_SUBMITTER_BACKEND_CONTRACT_TEST_SUITE_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "core/job/job_key.h"
#include "core/job/job_status.h"
#include "gtest/gtest.h"
#include "submitter/backend/backend.h"

namespace podferry {

// What a script of the suite is to do: write `output`, then end with `exit_code`, or wait to be
// told.
struct ContractScript {
  std::string output = "hello\n";
  std::optional<int> exit_code;  // none: runs until LetEnd()
};

class BackendHarness {
 public:
  virtual ~BackendHarness() = default;

  virtual Backend& backend() = 0;
  // Destroys the backend, as a crash of the submitter would.
  virtual void Stop() = 0;
  // Makes a new one where the old one was.
  virtual void Start() = 0;

  // Runs the loop until `condition` holds; false if that takes too long.
  virtual bool RunUntil(absl::FunctionRef<bool()> condition) = 0;

  // One container, "main".
  virtual std::string Script(const JobKey& key, const ContractScript& script) = 0;
  virtual void LetEnd(const JobKey& key, int exit_code) = 0;
  // How often the script got past its fence.
  virtual int Runs(const JobKey& key) = 0;
  // Whether anything of it runs now.
  virtual bool IsRunning(const JobKey& key) = 0;
};

using BackendHarnessFactory = std::function<std::unique_ptr<BackendHarness>()>;

class BackendContractTest : public testing::TestWithParam<BackendHarnessFactory> {
 protected:
  BackendContractTest();

  Submission Make(const std::string& uid, const ContractScript& script);
  // Submits and waits for the answer.
  SubmitResult Submit(Submission submission);
  absl::Status Cancel(const JobKey& key, absl::Duration grace = absl::Seconds(5));
  absl::StatusOr<std::optional<ObservedJob>> Find(const JobKey& key);
  BackendReport Check();
  absl::StatusOr<LogPiece> ReadLog(const JobKey& key, const LogRange& range = {});
  // Observes from now on; `seen_` has the newest status of each job.
  void Observe();
  // Whether the job comes to stand there, as observed.
  bool Await(const JobKey& key, JobPhase phase);

  static JobKey KeyOf(const std::string& uid) { return {"contract", uid}; }

  std::unique_ptr<BackendHarness> harness_;
  std::map<JobKey, JobStatus> seen_;
  std::map<JobKey, JobDescription> described_;
  int complete_observations_ = 0;
  int observing_ = 0;  // observations after a restart are not those before it
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_BACKEND_CONTRACT_TEST_SUITE_H_
