// File systems that a job's scripts have mounted in its sandbox (fuse.vk.io) and that nobody is
// left to unmount. Linux.

#ifndef PODFERRY_SUBMITTER_HOST_UNMOUNT_H_
#define PODFERRY_SUBMITTER_HOST_UNMOUNT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace podferry {

// The mount points below a folder, as /proc/self/mountinfo has them, the last one first. Pure.
std::vector<std::string> MountsBelow(absl::string_view mountinfo, absl::string_view folder);

// Takes them off, busy or not. What cannot be is logged: nothing empties what is mounted (see
// RemoveTree). Blocks; any thread.
void UnmountBelow(const std::string& folder);

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_HOST_UNMOUNT_H_
