#define PCRE2_CODE_UNIT_WIDTH 8

#include "core/pool/python_regex.h"

#include <pcre2.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/pool/python_regex_reader.h"

namespace podferry {
namespace {

// Enough for any sane expression on a 63-character name, and over in milliseconds when it is not.
constexpr uint32_t kMatchLimit = 1000000;
constexpr uint32_t kDepthLimit = 100000;
constexpr uint32_t kHeapLimitKib = 32 * 1024;
constexpr size_t kMaxPatternBytes = 16 * 1024;
// Our spelling of \b and the like nests deeper than what the user wrote.
constexpr uint32_t kParenthesesLimit = 1000;

struct CodeDeleter {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct CompileContextDeleter {
  void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }
};
struct MatchContextDeleter {
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};
struct MatchDataDeleter {
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};

std::string Pcre2Message(int code) {
  unsigned char buffer[256];
  pcre2_get_error_message(code, buffer, sizeof(buffer));
  return reinterpret_cast<const char*>(buffer);
}

PCRE2_SPTR Bytes(absl::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data() == nullptr ? "" : text.data());
}

absl::Status SearchError(int code, absl::string_view text) {
  switch (code) {
    case PCRE2_ERROR_MATCHLIMIT:
    case PCRE2_ERROR_DEPTHLIMIT:
    case PCRE2_ERROR_HEAPLIMIT:
    case PCRE2_ERROR_NOMEMORY:
      return absl::ResourceExhaustedError(
          absl::StrCat("the expression takes too long on a text of ", text.size(), " bytes (",
                       Pcre2Message(code), ")"));
    default:
      if (code <= PCRE2_ERROR_UTF8_ERR1 && code >= PCRE2_ERROR_UTF8_ERR21) {
        return absl::InvalidArgumentError("the text is not valid UTF-8");
      }
      return absl::InternalError(absl::StrCat("PCRE2: ", Pcre2Message(code)));
  }
}

}  // namespace

struct PythonRegex::Compiled {
  std::unique_ptr<pcre2_code, CodeDeleter> code;
  std::unique_ptr<pcre2_match_context, MatchContextDeleter> limits;
  bool ascii_text_only = false;
};

PythonRegex::PythonRegex(std::string pattern, std::shared_ptr<const Compiled> compiled)
    : pattern_(std::move(pattern)), compiled_(std::move(compiled)) {}

absl::StatusOr<PythonRegex> PythonRegex::Compile(absl::string_view pattern) {
  if (pattern.size() > kMaxPatternBytes) {
    return absl::UnimplementedError(
        absl::StrCat("expressions longer than ", kMaxPatternBytes, " bytes are not supported"));
  }
  PODFERRY_ASSIGN_OR_RETURN(const Pcre2Pattern translated, PythonRegexToPcre2(pattern));
  const std::unique_ptr<pcre2_compile_context, CompileContextDeleter> context(
      pcre2_compile_context_create(nullptr));
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  pcre2_set_parens_nest_limit(context.get(), kParenthesesLimit);
  int error = 0;
  PCRE2_SIZE offset = 0;
  auto compiled = std::make_shared<Compiled>();
  // PCRE2 10.42 makes a repeat possessive although what follows may need it back: "k*(x)?+k" does
  // not find "k".
  compiled->code.reset(pcre2_compile(Bytes(translated.text), translated.text.size(),
                                     PCRE2_UTF | PCRE2_NO_AUTO_POSSESS, &error, &offset,
                                     context.get()));
  if (compiled->code == nullptr) {
    // Python takes it: the reader has checked that.
    return absl::UnimplementedError(
        absl::StrCat("not supported, although Python takes it: ", Pcre2Message(error)));
  }
  compiled->limits.reset(pcre2_match_context_create(nullptr));
  pcre2_set_match_limit(compiled->limits.get(), kMatchLimit);
  pcre2_set_depth_limit(compiled->limits.get(), kDepthLimit);
  pcre2_set_heap_limit(compiled->limits.get(), kHeapLimitKib);
  compiled->ascii_text_only = translated.ascii_text_only;
  return PythonRegex(std::string(pattern), std::move(compiled));
}

absl::StatusOr<bool> PythonRegex::Search(absl::string_view text) const {
  if (compiled_->ascii_text_only &&
      std::any_of(text.begin(), text.end(), [](unsigned char c) { return c >= 0x80; })) {
    return absl::UnimplementedError(
        "a back-reference without case is supported on ASCII text only");
  }
  const std::unique_ptr<pcre2_match_data, MatchDataDeleter> data(
      pcre2_match_data_create_from_pattern(compiled_->code.get(), nullptr));
  const int code = pcre2_match(compiled_->code.get(), Bytes(text), text.size(), 0, 0, data.get(),
                               compiled_->limits.get());
  if (code >= 0) return true;
  if (code == PCRE2_ERROR_NOMATCH) return false;
  return SearchError(code, text);
}

}  // namespace podferry
