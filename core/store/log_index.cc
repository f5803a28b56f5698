#include "core/store/log_index.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"

namespace podferry {

void LogIndex::Put(absl::string_view key, const JournalPosition& position) {
  auto [it, is_new] = positions_.try_emplace(std::string(key), position);
  live_bytes_ += position.length;
  if (is_new) return;
  live_bytes_ -= it->second.length;
  // A copy shares the file of what it was copied from.
  if (it->second.body_file != 0 && it->second.body_file != position.body_file) {
    superseded_.push_back(it->second);
  }
  it->second = position;
}

void LogIndex::Erase(absl::string_view key) {
  auto it = positions_.find(key);
  if (it == positions_.end()) return;
  live_bytes_ -= it->second.length;
  if (it->second.body_file != 0) superseded_.push_back(it->second);
  positions_.erase(it);
}

const JournalPosition* LogIndex::Find(absl::string_view key) const {
  auto it = positions_.find(key);
  return it == positions_.end() ? nullptr : &it->second;
}

bool LogIndex::IsAt(absl::string_view key, const JournalPosition& position) const {
  const JournalPosition* now = Find(key);
  return now != nullptr && *now == position;
}

std::vector<std::pair<std::string, JournalPosition>> LogIndex::List(
    absl::string_view prefix) const {
  std::vector<std::pair<std::string, JournalPosition>> list;
  for (auto it = positions_.lower_bound(prefix);
       it != positions_.end() && absl::StartsWith(it->first, prefix); ++it) {
    list.emplace_back(it->first, it->second);
  }
  return list;
}

std::vector<std::string> LogIndex::KeysIn(uint64_t segment) const {
  std::vector<std::string> keys;
  for (const auto& [key, position] : positions_) {
    if (position.segment == segment) keys.push_back(key);
  }
  return keys;
}

}  // namespace podferry
