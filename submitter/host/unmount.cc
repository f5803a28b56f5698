#include "submitter/host/unmount.h"

#include <glog/logging.h>
#include <sys/mount.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/os/command_runner.h"

namespace podferry {
namespace {

constexpr size_t kMountPoint = 4;  // its place among the words of a line

// "a\040b" is "a b".
std::string Unescape(absl::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '\\' && i + 3 < text.size();
    if (!escaped) {
      plain.push_back(text[i]);
      continue;
    }
    const int byte = (text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0');
    plain.push_back(static_cast<char>(byte));
    i += 3;
  }
  return plain;
}

// An ordinary user's file systems are FUSE's, and its own program takes them off.
bool UnmountAsUser(const std::string& path) {
  for (const char* program : {"fusermount3", "fusermount"}) {
    const absl::StatusOr<CommandResult> result =
        RunCommand({.argv = {program, "-u", "-z", "--", path}, .timeout = absl::Seconds(5)});
    if (result.ok() && result->ok()) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> MountsBelow(absl::string_view mountinfo, absl::string_view folder) {
  std::vector<std::string> points;
  for (const absl::string_view line : absl::StrSplit(mountinfo, '\n')) {
    const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
    if (words.size() <= kMountPoint) continue;
    std::string point = Unescape(words[kMountPoint]);
    if (absl::StartsWith(point, absl::StrCat(folder, "/"))) points.push_back(std::move(point));
  }
  std::reverse(points.begin(), points.end());
  return points;
}

void UnmountBelow(const std::string& folder) {
  std::error_code error;
  const std::string physical = std::filesystem::canonical(folder, error).string();
  if (error) return;
  std::ifstream file("/proc/self/mountinfo");
  const std::string mountinfo{std::istreambuf_iterator<char>(file), {}};
  for (const std::string& point : MountsBelow(mountinfo, physical)) {
    if (umount2(point.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0) continue;
    const int reason = errno;
    if (UnmountAsUser(point)) continue;
    LOG(WARNING) << point << " cannot be unmounted: " << strerror(reason);
  }
}

}  // namespace podferry
