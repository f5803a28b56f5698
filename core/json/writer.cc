#include "core/json/writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "core/json/utf8.h"

namespace podferry::json {
namespace {

constexpr absl::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Bytes that stand for themselves in a JSON string: ASCII without controls, '"' and '\'.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  for (int c = 0x20; c < 0x80; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

void AppendEscaped(unsigned char c, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '"':
      out->append("\\\"");
      return;
    case '\\':
      out->append("\\\\");
      return;
    case '\n':
      out->append("\\n");
      return;
    case '\r':
      out->append("\\r");
      return;
    case '\t':
      out->append("\\t");
      return;
    default:
      out->append("\\u00");
      out->push_back(kHex[c >> 4]);
      out->push_back(kHex[c & 15]);
  }
}

void AppendQuoted(absl::string_view text, std::string* out) {
  out->push_back('"');
  while (!text.empty()) {
    size_t run = 0;
    while (run < text.size() && kPlain[static_cast<unsigned char>(text[run])]) ++run;
    out->append(text.data(), run);
    text.remove_prefix(run);
    if (text.empty()) break;

    const unsigned char c = static_cast<unsigned char>(text.front());
    size_t length = 1;
    if (c < 0x80) {
      AppendEscaped(c, out);
    } else if (length = Utf8SequenceLength(text); length > 0) {
      out->append(text.data(), length);
    } else {
      out->append(kReplacement.data(), kReplacement.size());
      length = 1;
    }
    text.remove_prefix(length);
  }
  out->push_back('"');
}

template <typename T>
void AppendNumber(T value, std::string* out) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value);
  out->append(buffer, end.ptr);
}

}  // namespace

void Writer::Key(absl::string_view key) {
  Separate();
  AppendQuoted(key, &out_);
  out_.push_back(':');
  need_comma_ = false;
}

void Writer::String(absl::string_view value) {
  Separate();
  AppendQuoted(value, &out_);
}

void Writer::Int(int64_t value) {
  Separate();
  AppendNumber(value, &out_);
}

void Writer::Uint(uint64_t value) {
  Separate();
  AppendNumber(value, &out_);
}

void Writer::Double(double value) {
  if (!std::isfinite(value)) return Null();
  Separate();
  AppendNumber(value, &out_);
}

void Writer::Raw(absl::string_view json) {
  Separate();
  out_.append(json.data(), json.size());
}

std::string Quote(absl::string_view text) {
  std::string quoted;
  AppendQuoted(text, &quoted);
  return quoted;
}

}  // namespace podferry::json
