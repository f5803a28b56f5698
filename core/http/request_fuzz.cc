// Feeds any bytes to the server's request parser, whole and in portions: nothing may crash, what is
// refused gets a code, and what is taken does not depend on the portions.
//
//   bazel run --config=fuzz //core/http:request_fuzz -- -max_total_time=60 FOLDER

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/http/request_parser.h"

namespace podferry::http_internal {
namespace {

using Progress = RequestParser::Progress;

constexpr uint32_t kHeaderLimit = 2000;
constexpr uint64_t kBodyLimit = 5000;

struct Outcome {
  Progress::State state = Progress::kNeedMore;
  int status = 0;
  size_t consumed = 0;
  std::string body;
};

// As a connection does: what was not consumed comes again, with more after it.
Outcome Parse(absl::string_view bytes, size_t portion) {
  RequestParser parser(kHeaderLimit, kBodyLimit);
  Outcome outcome;
  std::string kept;
  while (!bytes.empty() && outcome.state == Progress::kNeedMore) {
    const absl::string_view next = bytes.substr(0, portion);
    bytes.remove_prefix(next.size());
    kept.append(next.data(), next.size());
    const Progress progress = parser.Feed(kept);
    if (progress.consumed > kept.size()) std::abort();
    kept.erase(0, progress.consumed);
    outcome.consumed += progress.consumed;
    outcome.state = progress.state;
    outcome.status = progress.status;
    if (parser.body_bytes() > kBodyLimit) std::abort();
  }
  if (outcome.state == Progress::kFailed && (outcome.status < 400 || outcome.status > 599)) {
    std::abort();
  }
  if (outcome.state == Progress::kDone) outcome.body = parser.TakeRequest().body;
  return outcome;
}

// Where one request ends and the next begins must not depend on the network. What is refused may be
// refused sooner or later.
void Check(absl::string_view bytes) {
  const Outcome whole = Parse(bytes, bytes.size());
  for (const size_t portion : {1, 3, 100}) {
    const Outcome parts = Parse(bytes, portion);
    if ((parts.state == Progress::kDone) != (whole.state == Progress::kDone)) std::abort();
    if (whole.state != Progress::kDone) continue;
    if (parts.consumed != whole.consumed || parts.body != whole.body) std::abort();
  }
}

}  // namespace
}  // namespace podferry::http_internal

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  podferry::http_internal::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
