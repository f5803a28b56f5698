#include "core/translate/script_payload.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/job/job_request.h"

namespace podferry {
namespace {

// Short enough for every editor and tool, long enough to cost nothing.
constexpr size_t kBytesPerLine = 768;

std::string Base64Lines(absl::string_view bytes) {
  std::string lines;
  lines.reserve(bytes.size() / 3 * 4 + bytes.size() / kBytesPerLine + 8);
  std::string line;
  for (size_t at = 0; at < bytes.size(); at += kBytesPerLine) {
    absl::Base64Escape(bytes.substr(at, kBytesPerLine), &line);
    absl::StrAppend(&lines, line, "\n");
  }
  return lines;
}

// How many bytes the UTF-8 sequence at the start has; 0 if it is none.
size_t Utf8SequenceSize(absl::string_view bytes) {
  const auto at = [bytes](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char first = at(0);
  const size_t size = first < 0x80                     ? 1
                      : first >= 0xC2 && first <= 0xDF ? 2
                      : first >= 0xE0 && first <= 0xEF ? 3
                      : first >= 0xF0 && first <= 0xF4 ? 4
                                                       : 0;
  if (size == 0 || size > bytes.size()) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((at(i) & 0xC0) != 0x80) return 0;
  }
  return size;
}

}  // namespace

bool IsScriptText(absl::string_view bytes) {
  while (!bytes.empty()) {
    const unsigned char c = static_cast<unsigned char>(bytes[0]);
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) return false;
    const size_t size = Utf8SequenceSize(bytes);
    if (size == 0) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

int ScriptPayload::Add(absl::string_view content) {
  const auto [number, is_new] = numbers_.try_emplace(content, static_cast<int>(blocks_.size()));
  if (is_new) {
    blocks_.push_back(
        {.content = content, .base64 = IsScriptText(content) ? "" : Base64Lines(content)});
  }
  return number->second;
}

std::vector<ScriptPayload::Entry> ScriptPayload::Entries() const {
  size_t from_end = 0;
  for (const Block& block : blocks_) from_end += block.Bytes().size();
  std::vector<Entry> entries;
  for (const Block& block : blocks_) {
    const size_t size = block.Bytes().size();
    entries.push_back({from_end, size, !block.base64.empty(), Sha256Hex(block.content)});
    from_end -= size;
  }
  return entries;
}

void ScriptPayload::AppendTo(std::string* script) const {
  for (const Block& block : blocks_) script->append(block.Bytes().data(), block.Bytes().size());
}

}  // namespace podferry
