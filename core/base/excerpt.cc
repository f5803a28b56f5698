#include "core/base/excerpt.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace podferry {
namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::string Excerpt(absl::string_view text, size_t longest) {
  if (text.size() <= longest) return std::string(text);
  // Errors say the way out at their end, values differ at their beginning.
  size_t head = longest * 2 / 3;
  size_t tail = text.size() - (longest - head);
  while (head > 0 && IsContinuation(text[head])) --head;
  while (tail < text.size() && IsContinuation(text[tail])) ++tail;
  return absl::StrCat(text.substr(0, head), "[... ", tail - head, " bytes ...]", text.substr(tail));
}

std::string QuotedExcerpt(absl::string_view text, size_t longest) {
  return absl::StrCat("\"", absl::Utf8SafeCEscape(Excerpt(text, longest)), "\"");
}

}  // namespace podferry
