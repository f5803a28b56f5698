#include "submitter/backend/factory.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/translate/sandbox.h"
#include "submitter/backend/fake_backend.h"
#include "submitter/host/hidden_paths.h"
#include "submitter/host/host_backend.h"
#include "submitter/host/job_environment.h"

namespace podferry {

std::vector<std::string> BackendNames() { return {"host"}; }

absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(absl::string_view name,
                                                     const BackendSettings& settings,
                                                     const BackendParts& parts) {
  if (name == "host") {
    Environment environment = JobEnvironment();
    environment.emplace_back(kHideVariable, HiddenPaths(settings.hidden));
    return std::make_unique<HostBackend>(
        HostBackend::Options{.root = settings.sandboxes, .environment = std::move(environment)},
        parts.file_system, parts.file_watcher, parts.exit_watcher, parts.pool, parts.clock,
        parts.loop);
  }
  if (name == "fake") {
    return std::make_unique<FakeBackend>(
        FakeBackend::Options{.keep_scripts = false, .run_time = settings.fake_run_time},
        std::make_shared<FakeBackend::World>(), parts.clock, parts.loop);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "\"", name,
      "\" is no backend of this version; it has: ", absl::StrJoin(BackendNames(), ", ")));
}

}  // namespace podferry
