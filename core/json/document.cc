#include "core/json/document.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/json/internal.h"
#include "core/json/utf8.h"

namespace podferry::json {
namespace {

// RapidJSON's vector instructions read whole blocks of 16 bytes.
constexpr size_t kPadding = 16;

// Where a pair of surrogates or half of one is escaped, RapidJSON lets a low half alone pass.
bool MayEscapeSurrogates(absl::string_view text) {
  for (size_t at = text.find("\\u"); at != absl::string_view::npos; at = text.find("\\u", at + 2)) {
    if (at + 2 < text.size() && (text[at + 2] == 'd' || text[at + 2] == 'D')) return true;
  }
  return false;
}

absl::Status ErrorAt(absl::string_view text, size_t offset, absl::string_view message) {
  const absl::string_view before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0.
  return absl::InvalidArgumentError(absl::StrCat("line ", line, ", column ",
                                                 before.size() - line_start + 1, " (offset ",
                                                 before.size(), "): ", message));
}

absl::string_view Describe(rapidjson::ParseErrorCode code) {
  switch (code) {
    case rapidjson::kParseErrorDocumentEmpty:
      return "the document is empty";
    case rapidjson::kParseErrorDocumentRootNotSingular:
      return "more text after the document's end";
    case rapidjson::kParseErrorValueInvalid:
      return "want a value";
    case rapidjson::kParseErrorObjectMissName:
      return "want a member's name in quotes";
    case rapidjson::kParseErrorObjectMissColon:
      return "want ':' after a member's name";
    case rapidjson::kParseErrorObjectMissCommaOrCurlyBracket:
      return "want ',' or '}' after a member";
    case rapidjson::kParseErrorArrayMissCommaOrSquareBracket:
      return "want ',' or ']' after an element";
    case rapidjson::kParseErrorStringUnicodeEscapeInvalidHex:
      return "want four hexadecimal digits after \\u";
    case rapidjson::kParseErrorStringUnicodeSurrogateInvalid:
      return "half a surrogate pair";
    case rapidjson::kParseErrorStringMissQuotationMark:
      return "a string does not end";
    case rapidjson::kParseErrorStringEscapeInvalid:
    case rapidjson::kParseErrorStringInvalidEncoding:
      return "unknown escape or unescaped control character in a string";
    case rapidjson::kParseErrorNumberTooBig:
      return "number too large";
    case rapidjson::kParseErrorNumberMissFraction:
      return "want digits after '.'";
    case rapidjson::kParseErrorNumberMissExponent:
      return "want digits in the exponent";
    default:
      return "malformed";
  }
}

// Whether all of the text is an integer that fits.
template <typename Integer>
bool ReadWhole(const char* text, const char* end, Integer* integer) {
  const std::from_chars_result result = std::from_chars(text, end, *integer);
  return result.ec == std::errc() && result.ptr == end;
}

// Sits between RapidJSON's reader and its document and stops the reader at what the document's
// header promises to refuse. The depth is checked before the reader goes deeper, so its recursion
// is bounded.
class StrictHandler {
 public:
  StrictHandler(rapidjson::Document* document, int max_depth, bool check_strings)
      : document_(*document), max_depth_(max_depth), check_strings_(check_strings) {}

  const std::string& refusal() const { return refusal_; }

  bool Null() { return document_.Null(); }
  bool Bool(bool value) { return document_.Bool(value); }
  bool RawNumber(const char* text, rapidjson::SizeType length, bool) {
    const char* const end = text + length;
    int64_t integer = 0;
    if (ReadWhole(text, end, &integer)) return document_.Int64(integer);
    uint64_t large = 0;
    if (ReadWhole(text, end, &large)) return document_.Uint64(large);
    double number = 0;
    if (std::from_chars(text, end, number).ec == std::errc::result_out_of_range) {
      // Too large, or so small that it is nearly zero; strtod tells which.
      number = std::strtod(std::string(text, end).c_str(), nullptr);
      if (std::isinf(number)) return Refuse("number too large");
    }
    return document_.Double(number);
  }
  // Never called: the reader gives numbers as text.
  bool Int(int value) { return document_.Int(value); }
  bool Uint(unsigned value) { return document_.Uint(value); }
  bool Int64(int64_t value) { return document_.Int64(value); }
  bool Uint64(uint64_t value) { return document_.Uint64(value); }
  bool Double(double value) { return document_.Double(value); }

  bool String(const char* text, rapidjson::SizeType length, bool copy) {
    return CheckString({text, length}) && document_.String(text, length, copy);
  }
  bool Key(const char* text, rapidjson::SizeType length, bool copy) {
    keys_.emplace_back(text, length);
    return CheckString({text, length}) && document_.Key(text, length, copy);
  }
  bool StartObject() { return Enter() && document_.StartObject(); }
  bool StartArray() { return Enter() && document_.StartArray(); }
  bool EndObject(rapidjson::SizeType count) {
    --depth_;
    return CheckKeys(count) && document_.EndObject(count);
  }
  bool EndArray(rapidjson::SizeType count) {
    --depth_;
    return document_.EndArray(count);
  }

 private:
  bool Refuse(std::string why) {
    refusal_ = std::move(why);
    return false;
  }

  bool Enter() {
    if (++depth_ <= max_depth_) return true;
    return Refuse(absl::StrCat("nested more than ", max_depth_, " deep"));
  }

  bool CheckString(absl::string_view text) {
    if (!check_strings_ || IsValidUtf8(text)) return true;
    return Refuse("half a surrogate pair");
  }

  // The last `count` keys are those of the object that ends here.
  bool CheckKeys(size_t count) {
    constexpr size_t kFew = 12;  // Up to here, comparing all pairs beats hashing.
    const size_t first = keys_.size() - count;
    if (count <= kFew) {
      for (size_t i = first; i < keys_.size(); ++i) {
        for (size_t j = first; j < i; ++j) {
          if (keys_[i] == keys_[j]) return RefuseKey(keys_[i]);
        }
      }
    } else {
      absl::flat_hash_set<absl::string_view> seen;
      seen.reserve(count);
      for (size_t i = first; i < keys_.size(); ++i) {
        if (!seen.insert(keys_[i]).second) return RefuseKey(keys_[i]);
      }
    }
    keys_.resize(first);
    return true;
  }

  bool RefuseKey(absl::string_view key) {
    return Refuse(absl::StrCat("an object has the name \"",
                               absl::Utf8SafeCEscape(key.substr(0, 100)), "\" twice"));
  }

  rapidjson::Document& document_;
  const int max_depth_;
  const bool check_strings_;
  int depth_ = 0;
  std::vector<absl::string_view> keys_;  // Of the objects that have not ended, outermost first.
  std::string refusal_;
};

}  // namespace

struct Document::Impl {
  std::string text;  // Parsed in place: strings of the tree lie in here.
  rapidjson::Document tree;
  std::deque<Value::Context> contexts;
};

Document::Document(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

absl::StatusOr<Document> Document::Parse(absl::string_view text, const ParseOptions& options) {
  if (text.size() > options.max_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("JSON of ", text.size(), " bytes, at most ", options.max_bytes, " are taken"));
  }
  if (const size_t valid = ValidUtf8Prefix(text); valid != text.size()) {
    return ErrorAt(text, valid, "not valid UTF-8");
  }
  // RapidJSON would take it for the end.
  if (const size_t nul = text.find('\0'); nul != absl::string_view::npos) {
    return ErrorAt(text, nul, "NUL byte");
  }

  auto impl = std::make_unique<Impl>();
  impl->text.reserve(text.size() + kPadding);
  impl->text.append(text.data(), text.size());
  impl->text.append(kPadding, '\0');

  StrictHandler handler(&impl->tree, options.max_depth, MayEscapeSurrogates(text));
  rapidjson::InsituStringStream stream(impl->text.data());
  rapidjson::ParseResult result;
  const auto generate = [&](rapidjson::Document&) {
    rapidjson::Reader reader;
    // Numbers come as text: RapidJSON 1.1.0's own exact conversion reads outside of its table for
    // exponents below -350 or so, and its fast one is not exact.
    constexpr unsigned kFlags = rapidjson::kParseInsituFlag | rapidjson::kParseNumbersAsStringsFlag;
    result = reader.Parse<kFlags>(stream, handler);
    return !result.IsError();
  };
  impl->tree.Populate(generate);
  if (result.IsError()) {
    const bool refused = result.Code() == rapidjson::kParseErrorTermination;
    return ErrorAt(text, result.Offset(), refused ? handler.refusal() : Describe(result.Code()));
  }
  return Document(std::move(impl));
}

Value Document::Root(Issues* issues) const {
  Value::Context& context = impl_->contexts.emplace_back();
  context.issues = issues;
  return Value(&impl_->tree, context.NewStep({}), &context);
}

}  // namespace podferry::json
