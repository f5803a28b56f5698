#ifndef PODFERRY_E2E_HARNESS_HEARTBEAT_H_
#define PODFERRY_E2E_HARNESS_HEARTBEAT_H_

#include <string>

#include "e2e/harness/site.h"

namespace podferry::e2e {

// What a pod that never ends by itself does: it adds a line to a file, again and again. Whether it
// still runs is asked of the kernel, not guessed from a file that has been quiet for a while.
class Heartbeat {
 public:
  explicit Heartbeat(const Site& site) : file_(site.Path("beat")) {}

  // For /bin/sh -c; holds the file's name, by which Runs() knows the process.
  std::string Script() const { return "while :; do echo beat >> " + file_ + "; sleep 0.02; done"; }
  std::string Beats() const { return ReadFile(file_); }
  bool HasBegun() const { return !Beats().empty(); }
  // Whether any process of the machine has the script on its command line.
  bool Runs() const;

 private:
  std::string file_;
};

}  // namespace podferry::e2e

#endif  // PODFERRY_E2E_HARNESS_HEARTBEAT_H_
