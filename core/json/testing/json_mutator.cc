#include "core/json/testing/json_mutator.h"

#include <cstddef>
#include <iterator>
#include <random>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace podferry::json {
namespace {

// Deeper texts are left to random bytes.
constexpr int kMaxDepth = 100;

struct Span {
  size_t begin = 0;
  size_t end = 0;
};

constexpr size_t kNone = static_cast<size_t>(-1);

// An element of a list or a member of an object.
struct Item : Span {
  size_t object = kNone;  // where the object begins, after its brace
  absl::string_view key;  // with its quotes
};

// Where the values of a text stand, and the items (elements and members) of its lists and objects.
class Places {
 public:
  explicit Places(absl::string_view text) : text_(text) {
    good_ = Value(0);
    Blanks();
    good_ = good_ && at_ == text_.size();
  }

  bool good() const { return good_; }
  const std::vector<Span>& values() const { return values_; }
  const std::vector<Item>& items() const { return items_; }
  const std::vector<Span>& strings() const { return strings_; }
  const std::vector<size_t>& objects() const { return objects_; }  // after the brace

 private:
  bool AtEnd() const { return at_ >= text_.size(); }
  void Blanks() {
    while (!AtEnd() && absl::ascii_isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool Take(char c) {
    Blanks();
    if (AtEnd() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool String() {
    if (!Take('"')) return false;
    while (!AtEnd() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    return Take('"');
  }

  bool Scalar() {
    const size_t begin = at_;
    while (!AtEnd() && (absl::ascii_isalnum(static_cast<unsigned char>(text_[at_])) ||
                        text_[at_] == '-' || text_[at_] == '+' || text_[at_] == '.')) {
      ++at_;
    }
    return at_ > begin;
  }

  bool Items(char close, size_t object, int depth) {
    if (Take(close)) return true;
    do {
      Blanks();
      Item item{{.begin = at_}, object};
      if (object != kNone) {
        if (!String()) return false;
        item.key = text_.substr(item.begin, at_ - item.begin);
        if (!Take(':')) return false;
      }
      if (!Value(depth)) return false;
      item.end = at_;
      items_.push_back(item);
    } while (Take(','));
    return Take(close);
  }

  bool Value(int depth) {
    Blanks();
    if (AtEnd() || depth > kMaxDepth) return false;
    const size_t begin = at_;
    bool good = false;
    if (text_[at_] == '{') {
      objects_.push_back(++at_);
      good = Items('}', at_, depth + 1);
    } else if (text_[at_] == '[') {
      ++at_;
      good = Items(']', kNone, depth + 1);
    } else if (text_[at_] == '"') {
      good = String();
      strings_.push_back({begin, at_});
    } else {
      good = Scalar();
    }
    values_.push_back({begin, at_});
    return good;
  }

  const absl::string_view text_;
  size_t at_ = 0;
  bool good_ = false;
  std::vector<Span> values_;
  std::vector<Item> items_;
  std::vector<Span> strings_;
  std::vector<size_t> objects_;
};

constexpr const char* kHostileValues[] = {
    "null",         "true",
    "false",        "0",
    "-1",           "1",
    "2147483648",   "9223372036854775807",
    "1e300",        "0.5",
    "[]",           "{}",
    "\"\"",         "\"/\"",
    "\"..\"",       "\"a/../b\"",
    "\"/tmp\"",     "\"/a/b/c\"",
    "\"$(id)\"",    "\"$(HOSTNAME)\"",
    "\"%(user)s\"", "\"10Gi\"",
    "\"100m\"",     "\"main\"",
    "\"Always\"",   "\"OnFailure\"",
    "\"Memory\"",   "\"Bidirectional\"",
    "\"data\"",     "[[]]",
    "[{}]",         "[\"a\",\"\"]",
};

// Put into strings; all may stand inside of JSON's quotes.
constexpr const char* kHostileText[] = {"'",
                                        "'\\\\''",
                                        "\\\"",
                                        "\\\\",
                                        "$(id)",
                                        "$(A)",
                                        "$$(A)",
                                        "`id`",
                                        "\\n",
                                        "\\r",
                                        "\\t",
                                        "\\u0000",
                                        "\\u0001",
                                        "é",
                                        "../",
                                        "/",
                                        "//",
                                        ":",
                                        "=",
                                        "%",
                                        ",",
                                        " ",
                                        "-",
                                        "--",
                                        "EOF",
                                        "\\n}\\n",
                                        "~",
                                        "*",
                                        "\\ud83d\\ude80"};

class Mutation {
 public:
  Mutation(absl::string_view text, const std::vector<absl::string_view>& members, uint64_t seed)
      : text_(text), members_(members), places_(text), random_(seed) {}

  std::string Apply() {
    if (!places_.good()) return "";
    switch (Below(6)) {
      case 0:
        return Replace(Any(places_.values()), Part(Any(places_.values())));
      case 1:
        return Replace(Any(places_.values()), kHostileValues[Below(std::size(kHostileValues))]);
      case 2:
        return Drop();
      case 3:
        return Double();
      case 4:
        return IntoAString();
      default:
        return AddAMember();
    }
  }

 private:
  size_t Below(size_t limit) {
    return std::uniform_int_distribution<size_t>(0, limit - 1)(random_);
  }
  template <typename Spans>
  Span Any(const Spans& spans) {
    return spans[Below(spans.size())];
  }
  absl::string_view Part(Span span) const {
    return text_.substr(span.begin, span.end - span.begin);
  }
  std::string Replace(Span span, absl::string_view with) const {
    return absl::StrCat(text_.substr(0, span.begin), with, text_.substr(span.end));
  }
  std::string Same() const { return std::string(text_); }

  std::string Drop() {
    if (places_.items().empty()) return Same();
    Span item = Any(places_.items());
    // With the comma after it, or else the one before it.
    size_t after = item.end;
    while (absl::ascii_isspace(static_cast<unsigned char>(text_[after]))) ++after;
    if (text_[after] == ',') return Replace({item.begin, after + 1}, "");
    while (absl::ascii_isspace(static_cast<unsigned char>(text_[item.begin - 1]))) --item.begin;
    if (text_[item.begin - 1] == ',') --item.begin;
    return Replace(item, "");
  }

  std::string Double() {
    if (places_.items().empty()) return Same();
    const Item& item = places_.items()[Below(places_.items().size())];
    if (item.object != kNone) return Same();  // no name twice in one object
    return Replace({item.end, item.end}, absl::StrCat(",", Part(item)));
  }

  std::string IntoAString() {
    if (places_.strings().empty()) return Same();
    const Span string = Any(places_.strings());
    const size_t at = Below(2) == 0 ? string.begin + 1 : string.end - 1;
    return Replace({at, at}, kHostileText[Below(std::size(kHostileText))]);
  }

  std::string AddAMember() {
    if (places_.objects().empty() || members_.empty()) return Same();
    const size_t object = places_.objects()[Below(places_.objects().size())];
    const absl::string_view member = members_[Below(members_.size())];
    bool empty = true;
    for (const Item& item : places_.items()) {
      if (item.object != object) continue;
      empty = false;
      if (absl::StartsWith(member, item.key)) return Replace(item, member);
    }
    return Replace({object, object}, absl::StrCat(member, empty ? "" : ","));
  }

  const absl::string_view text_;
  const std::vector<absl::string_view>& members_;
  const Places places_;
  std::mt19937_64 random_;
};

}  // namespace

std::string MutateJson(absl::string_view text, const std::vector<absl::string_view>& members,
                       uint64_t seed) {
  return Mutation(text, members, seed).Apply();
}

}  // namespace podferry::json
