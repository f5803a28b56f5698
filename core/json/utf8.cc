#include "core/json/utf8.h"

#include <cstdint>
#include <cstring>

namespace podferry::json {

size_t Utf8SequenceLength(absl::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<uint8_t>(text[i]); };
  if (text.empty()) return 0;
  const uint8_t first = byte(0);
  if (first < 0x80) return 1;

  // The table of RFC 3629, section 4: the length follows from the first byte, and only the second
  // byte's range depends on it.
  size_t length = 0;
  uint8_t low = 0x80, high = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  if (text.size() < length || byte(1) < low || byte(1) > high) return 0;
  for (size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

size_t ValidUtf8Prefix(absl::string_view text) {
  size_t position = 0;
  while (position < text.size()) {
    // Nearly all text is ASCII: eight bytes at a time.
    uint64_t word;
    while (text.size() - position >= sizeof(word)) {
      std::memcpy(&word, text.data() + position, sizeof(word));
      if ((word & 0x8080808080808080) != 0) break;
      position += sizeof(word);
    }
    if (position == text.size()) break;
    const size_t length = Utf8SequenceLength(text.substr(position));
    if (length == 0) return position;
    position += length;
  }
  return position;
}

}  // namespace podferry::json
