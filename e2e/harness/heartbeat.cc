#include "e2e/harness/heartbeat.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"

namespace podferry::e2e {

bool Heartbeat::Runs() const {
  std::error_code ignored;
  for (const auto& process : std::filesystem::directory_iterator("/proc", ignored)) {
    if (absl::StrContains(ReadFile(process.path() / "cmdline"), file_)) return true;
  }
  return false;
}

}  // namespace podferry::e2e
