#include "tools/load/answer_reader.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace podferry::load {
namespace {

constexpr size_t kMaxHeadBytes = 64 << 10;
constexpr size_t kMaxBeginning = 300;

}  // namespace

AnswerReader::State AnswerReader::Feed(absl::string_view bytes) {
  if (in_body_) return TakeBody(bytes);
  const size_t before = head_.size();
  head_.append(bytes.data(), bytes.size());
  // The blank line may have begun in an earlier piece.
  const size_t end = head_.find("\r\n\r\n", before < 3 ? 0 : before - 3);
  if (end == std::string::npos) return head_.size() > kMaxHeadBytes ? State::kBad : State::kMore;
  if (!ReadHead(absl::string_view(head_).substr(0, end))) return State::kBad;
  in_body_ = true;
  return TakeBody(bytes.substr(end + 4 - before));
}

bool AnswerReader::ReadHead(absl::string_view head) {
  bool has_length = false;
  bool first = true;
  for (absl::string_view line : absl::StrSplit(head, "\r\n")) {
    if (std::exchange(first, false)) {
      if (!absl::ConsumePrefix(&line, "HTTP/1.1 ")) return false;
      if (!absl::SimpleAtoi(line.substr(0, 3), &status_)) return false;
    } else if (absl::StartsWithIgnoreCase(line, "content-length:")) {
      has_length = absl::SimpleAtoi(line.substr(sizeof("content-length:") - 1), &body_left_);
    } else if (absl::StartsWithIgnoreCase(line, "connection:")) {
      keep_alive_ = !absl::StrContains(line, "close");
    }
  }
  return has_length;
}

AnswerReader::State AnswerReader::TakeBody(absl::string_view bytes) {
  // One request at a time: nothing may follow the answer.
  if (bytes.size() > body_left_) return State::kBad;
  body_left_ -= bytes.size();
  if (status_ != 200 && beginning_.size() < kMaxBeginning) {
    beginning_.append(bytes.substr(0, kMaxBeginning).data(), bytes.substr(0, kMaxBeginning).size());
  }
  return body_left_ == 0 ? State::kDone : State::kMore;
}

void AnswerReader::Reset() {
  head_.clear();
  in_body_ = false;
  body_left_ = 0;
  status_ = 0;
  keep_alive_ = true;
  beginning_.clear();
}

}  // namespace podferry::load
