#include "core/wire/subjects.h"

#include <cstddef>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace podferry::wire {
namespace {

constexpr char kUpperHex[] = "0123456789ABCDEF";

// NATS' own limit for a protocol line is 4 KiB; a prefix needs a fraction of that.
constexpr size_t kMaxPrefix = 128;

// Kinds whose next token is a pool, and how many tokens there are from the kind on.
struct Kind {
  absl::string_view name;
  size_t tokens;
};
constexpr Kind kKindsWithPool[] = {
    {"create", 3}, {"job", 5},  {"bundle", 4}, {"find", 3},
    {"events", 2}, {"sync", 2}, {"config", 2}, {"resources", 2},
};

bool IsPlain(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

absl::Status NotOurs(absl::string_view subject) {
  return absl::NotFoundError(
      absl::StrCat("no pool in subject \"", absl::CHexEscape(subject.substr(0, 256)), "\""));
}

}  // namespace

std::string EncodeToken(absl::string_view text) {
  if (text.empty()) return "=";
  std::string token;
  token.reserve(text.size());
  for (const char c : text) {
    if (IsPlain(c)) {
      token.push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      token.push_back('=');
      token.push_back(kUpperHex[byte >> 4]);
      token.push_back(kUpperHex[byte & 15]);
    }
  }
  return token;
}

absl::StatusOr<std::string> DecodeToken(absl::string_view token) {
  if (token == "=") return std::string();
  const auto bad = [&token] {
    return absl::InvalidArgumentError(absl::StrCat("\"", absl::CHexEscape(token.substr(0, 256)),
                                                   "\" is no token of a podferry subject"));
  };
  if (token.empty()) return bad();
  std::string text;
  text.reserve(token.size());
  for (size_t i = 0; i < token.size(); ++i) {
    if (IsPlain(token[i])) {
      text.push_back(token[i]);
      continue;
    }
    if (token[i] != '=' || i + 2 >= token.size()) return bad();
    const int high = HexValue(token[i + 1]);
    const int low = HexValue(token[i + 2]);
    if (high < 0 || low < 0) return bad();
    const char byte = static_cast<char>(high * 16 + low);
    if (IsPlain(byte)) return bad();  // one text, one token
    text.push_back(byte);
    i += 2;
  }
  return text;
}

// Wildcards are written here as they are; whatever a caller gives is encoded, a "*" too.
std::string Subjects::Create(absl::string_view pool, absl::string_view job) const {
  return absl::StrCat(prefix_, ".create.", EncodeToken(pool), ".", EncodeToken(job));
}

std::string Subjects::AllCreates(absl::string_view pool) const {
  return absl::StrCat(prefix_, ".create.", EncodeToken(pool), ".*");
}

std::string Subjects::Job(absl::string_view pool, absl::string_view submitter,
                          absl::string_view verb, absl::string_view job) const {
  return absl::StrCat(prefix_, ".job.", EncodeToken(pool), ".", EncodeToken(submitter), ".",
                      absl::StrCat(EncodeToken(verb), ".", EncodeToken(job)));
}

std::string Subjects::AllJobs(absl::string_view pool, absl::string_view submitter,
                              absl::string_view verb) const {
  return absl::StrCat(prefix_, ".job.", EncodeToken(pool), ".", EncodeToken(submitter), ".",
                      absl::StrCat(EncodeToken(verb), ".*"));
}

std::string Subjects::Bundle(absl::string_view pool, absl::string_view origin,
                             absl::string_view job) const {
  return absl::StrCat(prefix_, ".bundle.", EncodeToken(pool), ".", EncodeToken(origin), ".",
                      EncodeToken(job));
}

std::string Subjects::AllBundles(absl::string_view origin) const {
  return absl::StrCat(prefix_, ".bundle.*.", EncodeToken(origin), ".*");
}

std::string Subjects::Find(absl::string_view pool, absl::string_view job) const {
  return absl::StrCat(prefix_, ".find.", EncodeToken(pool), ".", EncodeToken(job));
}

std::string Subjects::AllFinds(absl::string_view pool) const {
  return absl::StrCat(prefix_, ".find.", EncodeToken(pool), ".*");
}

std::string Subjects::Events(absl::string_view pool) const {
  return absl::StrCat(prefix_, ".events.", EncodeToken(pool));
}

std::string Subjects::AllEvents() const { return absl::StrCat(prefix_, ".events.*"); }

std::string Subjects::Sync(absl::string_view pool) const {
  return absl::StrCat(prefix_, ".sync.", EncodeToken(pool));
}

std::string Subjects::Config(absl::string_view pool) const {
  return absl::StrCat(prefix_, ".config.", EncodeToken(pool));
}

std::string Subjects::AllConfigs() const { return absl::StrCat(prefix_, ".config.*"); }

std::string Subjects::Resources(absl::string_view pool) const {
  return absl::StrCat(prefix_, ".resources.", EncodeToken(pool));
}

std::string Subjects::AllResources() const { return absl::StrCat(prefix_, ".resources.*"); }

std::string Subjects::Shutdown(absl::string_view subject) const {
  return absl::StrCat(prefix_, ".shutdown.", EncodeToken(subject));
}

absl::StatusOr<std::string> Subjects::PoolOf(absl::string_view subject) const {
  absl::string_view rest = subject;
  if (!absl::ConsumePrefix(&rest, prefix_) || !absl::ConsumePrefix(&rest, ".")) {
    return NotOurs(subject);
  }
  const std::vector<absl::string_view> tokens = absl::StrSplit(rest, '.');
  for (const Kind& kind : kKindsWithPool) {
    if (tokens[0] != kind.name || tokens.size() != kind.tokens) continue;
    absl::StatusOr<std::string> pool = DecodeToken(tokens[1]);
    if (pool.ok()) return pool;
  }
  return NotOurs(subject);
}

absl::Status Subjects::CheckPrefix(absl::string_view prefix) {
  const auto bad = [&prefix](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat(
        "subject prefix \"", absl::CHexEscape(prefix.substr(0, kMaxPrefix)), "\" ", why));
  };
  if (prefix.empty()) return bad("is empty");
  if (prefix.size() > kMaxPrefix) {
    return bad(absl::StrCat("has ", prefix.size(), " bytes, over ", kMaxPrefix));
  }
  for (const char c : prefix) {
    if (c == '*' || c == '>') return bad("has a wildcard");
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte == 0x7f) return bad("has a blank or a control character");
  }
  for (const absl::string_view token : absl::StrSplit(prefix, '.')) {
    if (token.empty()) return bad("has an empty part between dots");
  }
  if (prefix[0] == '$' || absl::StartsWith(prefix, "_INBOX")) return bad("is NATS' own");
  return absl::OkStatus();
}

}  // namespace podferry::wire
