// Writes JSON text, one call per token, commas included:
//
//   std::string out;
//   json::Writer json(&out);
//   json.BeginObject();
//   json.Field("name", pod.name);
//   json.Key("containers");
//   json.BeginArray();
//   for (const Container& c : containers) ...
//   json.EndArray();
//   json.EndObject();
//
// The output is always UTF-8: each byte of a string that is not becomes U+FFFD. The caller keeps to
// the grammar (a key before each member, an end for each begin): complete() tells, for tests.
// A plain value; one thread at a time.

#ifndef PODFERRY_CORE_JSON_WRITER_H_
#define PODFERRY_CORE_JSON_WRITER_H_

#include <cstdint>
#include <string>
#include <type_traits>

#include "absl/strings/string_view.h"

namespace podferry::json {

class Writer {
 public:
  // Appends to `out`, which must outlive this.
  explicit Writer(std::string* out) : out_(*out) {}

  void BeginObject() { Begin('{'); }
  void EndObject() { End('}'); }
  void BeginArray() { Begin('['); }
  void EndArray() { End(']'); }
  void Key(absl::string_view key);

  void String(absl::string_view value);
  void Int(int64_t value);
  void Uint(uint64_t value);
  // The shortest text that reads back the same. Infinities and NaN, which JSON has not, are null.
  void Double(double value);
  void Bool(bool value) { Raw(value ? "true" : "false"); }
  void Null() { Raw("null"); }
  // A whole value that is JSON text already.
  void Raw(absl::string_view json);

  // A member at once.
  void Field(absl::string_view key, absl::string_view value) {
    Key(key);
    String(value);
  }
  void Field(absl::string_view key, const char* value) { Field(key, absl::string_view(value)); }
  void Field(absl::string_view key, const std::string& value) {
    Field(key, absl::string_view(value));
  }
  template <typename Number>
  requires std::is_arithmetic_v<Number>
  void Field(absl::string_view key, Number value) {
    Key(key);
    if constexpr (std::is_same_v<Number, bool>) {
      Bool(value);
    } else if constexpr (std::is_floating_point_v<Number>) {
      Double(value);
    } else if constexpr (std::is_signed_v<Number>) {
      Int(value);
    } else {
      Uint(value);
    }
  }

  // Whether everything begun has ended.
  bool complete() const { return depth_ == 0 && need_comma_; }

 private:
  void Separate() {
    if (need_comma_) out_.push_back(',');
    need_comma_ = true;
  }
  void Begin(char bracket) {
    Separate();
    out_.push_back(bracket);
    need_comma_ = false;
    ++depth_;
  }
  void End(char bracket) {
    out_.push_back(bracket);
    need_comma_ = true;
    --depth_;
  }

  std::string& out_;
  // Whether a comma comes before the next key or value: not at the start, and not after a bracket
  // or a colon.
  bool need_comma_ = false;
  int depth_ = 0;
};

// A string as JSON text, quotes included.
std::string Quote(absl::string_view text);

}  // namespace podferry::json

#endif  // PODFERRY_CORE_JSON_WRITER_H_
