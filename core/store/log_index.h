// Where in the log each key's newest value lies, and how much of the log that is. Belongs to
// LocalStore; loop thread only.

#ifndef PODFERRY_CORE_STORE_LOG_INDEX_H_
#define PODFERRY_CORE_STORE_LOG_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/strings/string_view.h"
#include "core/journal/journal.h"

namespace podferry {

class LogIndex {
 public:
  void Put(absl::string_view key, const JournalPosition& position);
  void Erase(absl::string_view key);

  // Null if the key has no value.
  const JournalPosition* Find(absl::string_view key) const;
  bool IsAt(absl::string_view key, const JournalPosition& position) const;

  // The keys that begin with `prefix`, in order.
  std::vector<std::pair<std::string, JournalPosition>> List(absl::string_view prefix) const;
  // The keys whose value lies in a segment.
  std::vector<std::string> KeysIn(uint64_t segment) const;

  // The values that lay in files of their own and that no key refers to any more.
  std::vector<JournalPosition> TakeSuperseded() { return std::exchange(superseded_, {}); }

  size_t size() const { return positions_.size(); }
  uint64_t live_bytes() const { return live_bytes_; }  // Of the records that keys refer to.

 private:
  absl::btree_map<std::string, JournalPosition> positions_;
  uint64_t live_bytes_ = 0;
  std::vector<JournalPosition> superseded_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_STORE_LOG_INDEX_H_
