// Finds the end of an HTTP answer that has a Content-Length: all that a load generator needs to
// know of it. Pure.

#ifndef PODFERRY_TOOLS_LOAD_ANSWER_READER_H_
#define PODFERRY_TOOLS_LOAD_ANSWER_READER_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace podferry::load {

class AnswerReader {
 public:
  enum class State { kMore, kDone, kBad };

  // Takes the next bytes. kBad for what has no Content-Length or is no HTTP answer.
  State Feed(absl::string_view bytes);

  int status() const { return status_; }
  bool keep_alive() const { return keep_alive_; }
  // The beginning of the answer's body, for error messages.
  const std::string& beginning() const { return beginning_; }

  // Ready for the next answer.
  void Reset();

 private:
  bool ReadHead(absl::string_view head);
  State TakeBody(absl::string_view bytes);

  std::string head_;
  bool in_body_ = false;
  size_t body_left_ = 0;
  int status_ = 0;
  bool keep_alive_ = true;
  std::string beginning_;
};

}  // namespace podferry::load

#endif  // PODFERRY_TOOLS_LOAD_ANSWER_READER_H_
