#include "core/translate/kubelet_values.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace podferry {
namespace {

bool IsAllowedInPath(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         absl::StrContains("-._~!$&'()*+,;=:@/?[]", c);
}

bool HasBadEscape(absl::string_view path) {
  for (size_t i = path.find('%'); i != absl::string_view::npos; i = path.find('%', i + 1)) {
    if (i + 2 >= path.size() || !absl::ascii_isxdigit(static_cast<unsigned char>(path[i + 1])) ||
        !absl::ascii_isxdigit(static_cast<unsigned char>(path[i + 2]))) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string ProbeUrl(absl::string_view scheme, absl::string_view host, int32_t port,
                     absl::string_view path) {
  const bool brackets = absl::StrContains(host, ':');
  std::string url = absl::StrCat(scheme == "HTTPS" ? "https" : "http", "://", brackets ? "[" : "",
                                 host, brackets ? "]" : "", ":", port);
  // Like Go's url.Parse: what is no URL is taken for a path, letter by letter.
  const bool verbatim = HasBadEscape(path);
  if (!verbatim) path = path.substr(0, path.find('#'));
  if (!absl::StartsWith(path, "/")) url.push_back('/');
  for (const char c : path) {
    if (IsAllowedInPath(c) ? !(verbatim && c == '?') : (c == '%' && !verbatim)) {
      url.push_back(c);
    } else {
      absl::StrAppendFormat(&url, "%%%02X", static_cast<unsigned char>(c));
    }
  }
  return url;
}

int SignalNumber(absl::string_view name) {
  constexpr absl::string_view kNames[] = {
      "HUP",  "INT",  "QUIT", "ILL",    "TRAP",   "ABRT",  "BUS",  "FPE",  "KILL", "USR1", "SEGV",
      "USR2", "PIPE", "ALRM", "TERM",   "STKFLT", "CHLD",  "CONT", "STOP", "TSTP", "TTIN", "TTOU",
      "URG",  "XCPU", "XFSZ", "VTALRM", "PROF",   "WINCH", "IO",   "PWR",  "SYS"};
  constexpr int kRealTimeMin = 34;
  constexpr int kRealTimeMax = 64;
  if (!absl::ConsumePrefix(&name, "SIG")) return 0;
  if (name == "IOT") name = "ABRT";
  if (name == "CLD") name = "CHLD";
  if (name == "POLL") name = "IO";
  const auto* found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found != std::end(kNames)) return static_cast<int>(found - std::begin(kNames)) + 1;
  int offset = 0;
  if (name == "RTMIN") return kRealTimeMin;
  if (name == "RTMAX") return kRealTimeMax;
  if (absl::ConsumePrefix(&name, "RTMIN+") && absl::SimpleAtoi(name, &offset) && offset > 0 &&
      offset <= kRealTimeMax - kRealTimeMin) {
    return kRealTimeMin + offset;
  }
  if (absl::ConsumePrefix(&name, "RTMAX-") && absl::SimpleAtoi(name, &offset) && offset > 0 &&
      offset <= kRealTimeMax - kRealTimeMin) {
    return kRealTimeMax - offset;
  }
  return 0;
}

}  // namespace podferry
