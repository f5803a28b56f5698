// Feeds any bytes to the parser, and all that parses to the getters and the writer: nothing may
// crash, and what is written must parse again to the same text. bazel run --config=fuzz
// //core/json:document_fuzz -- -max_total_time=60

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/strings/string_view.h"
#include "core/base/issues.h"
#include "core/json/document.h"

namespace podferry::json {
namespace {

void Visit(const Value& value) {
  value.StringOr("");
  value.BoolOr(false);
  value.Int32Or(0);
  value.Int64Or(0);
  value.Double();
  value.StringOrNumber();
  for (const Value item : value.Items()) Visit(item);
  for (const Member member : value.Members()) Visit(member.value);
}

std::string Reprint(absl::string_view text) {
  const absl::StatusOr<Document> document = Document::Parse(text);
  if (!document.ok()) std::abort();
  return document->Root(nullptr).ToJson();
}

void Check(absl::string_view text) {
  const absl::StatusOr<Document> document = Document::Parse(text);
  if (!document.ok()) return;
  Issues issues;
  Visit(document->Root(&issues));
  const std::string printed = document->Root(nullptr).ToJson();
  if (Reprint(printed) != printed) std::abort();
}

}  // namespace
}  // namespace podferry::json

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  podferry::json::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
