// Removes what a job has left behind, which may be hostile: very deep folders, folders closed to
// their owner, symbolic links to elsewhere. For PosixFileSystem::RemoveAll().

#ifndef PODFERRY_CORE_OS_REMOVE_TREE_H_
#define PODFERRY_CORE_OS_REMOVE_TREE_H_

#include <string>

#include "absl/status/status.h"

namespace podferry {

// See FileSystem::RemoveAll(). Goes on after an error, and returns the first.
absl::Status RemoveTree(const std::string& path);

}  // namespace podferry

#endif  // PODFERRY_CORE_OS_REMOVE_TREE_H_
