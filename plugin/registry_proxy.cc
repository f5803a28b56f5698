#include "plugin/registry_proxy.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/redact.h"
#include "core/json/document.h"
#include "core/json/value.h"

namespace podferry {
namespace {

// A job's start waits for it.
constexpr absl::Duration kConnectTime = absl::Seconds(2);
constexpr absl::Duration kAnswerTime = absl::Seconds(3);
constexpr absl::Duration kPauseAfterFailure = absl::Seconds(10);
constexpr absl::Duration kAssumedValidity = absl::Minutes(5);
constexpr size_t kLongestAnswer = 64 << 10;
constexpr size_t kLongestToken = 8 << 10;
// Pools that change their proxies all the time must not fill the memory.
constexpr size_t kMostEntries = 64;

// As RFC 6750 has them: it becomes an HTTP header's value at the pool.
bool IsToken(absl::string_view text) {
  return !text.empty() && text.size() <= kLongestToken &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return absl::ascii_isalnum(c) || absl::StrContains("-._~+/=", c);
         });
}

// When a JSON Web Token ends; nothing for other tokens.
std::optional<absl::Time> EndOfJwt(absl::string_view token) {
  const std::vector<absl::string_view> parts = absl::StrSplit(token, '.');
  std::string claims;
  if (parts.size() != 3 || !absl::WebSafeBase64Unescape(parts[1], &claims)) return std::nullopt;
  absl::StatusOr<json::Document> document = json::Document::Parse(claims);
  if (!document.ok()) return std::nullopt;
  const int64_t end = document->Root(nullptr).Get("exp").Int64Or(0);
  if (end <= 0) return std::nullopt;
  return absl::FromUnixSeconds(end);
}

HttpRequest TokenRequest(const std::string& master) {
  HttpRequest request;
  request.path = "/token";
  request.headers.Set("Authorization",
                      absl::StrCat("Basic ", absl::Base64Escape(absl::StrCat("admin:", master))));
  return request;
}

absl::Status NoToken(const std::string& server, const absl::StatusOr<HttpResponse>& answer) {
  if (!answer.ok()) {
    return absl::UnavailableError(
        absl::StrCat(server, ": ", RedactUrls(std::string(answer.status().message()))));
  }
  if (answer->status == 401 || answer->status == 403) {
    return absl::UnauthenticatedError(absl::StrCat(server, " does not take the master token"));
  }
  // Not its body: nobody knows what a proxy writes there.
  return absl::UnavailableError(
      absl::StrCat(server, " answered ", answer->status, " ", HttpReasonPhrase(answer->status)));
}

}  // namespace

absl::StatusOr<ProxyToken> ReadProxyToken(absl::string_view body, absl::Time now) {
  ProxyToken read{std::string(absl::StripAsciiWhitespace(body)), kAssumedValidity};
  if (absl::StartsWith(read.token, "{") || absl::StartsWith(read.token, "\"")) {
    absl::StatusOr<json::Document> document = json::Document::Parse(read.token);
    if (!document.ok()) return absl::DataLossError("its answer holds no token");
    const json::Value root = document->Root(nullptr);
    read.token = std::string(root.kind() == json::Kind::kObject
                                 ? root.Get("token").StringOr(root.Get("access_token").StringOr(""))
                                 : root.StringOr(""));
    const int64_t seconds =
        root.kind() == json::Kind::kObject ? root.Get("expires_in").Int64Or(0) : 0;
    if (seconds > 0) read.validity = absl::Seconds(seconds);
  }
  if (!IsToken(read.token)) return absl::DataLossError("its answer holds no token");
  if (const std::optional<absl::Time> end = EndOfJwt(read.token)) read.validity = *end - now;
  return read;
}

void RegistryProxy::GetToken(const std::string& server, const std::string& master, Done done) {
  const bool ours = options_.server.empty() || options_.server == server;
  const Key key(server, !master.empty() ? master : ours ? options_.master_token : "");
  if (http_ == nullptr || key.second.empty()) {
    return done(
        absl::FailedPreconditionError(ours ? absl::StrCat("the plugin has no master token for ",
                                                          server, " (--shub-proxy-token-file)")
                                           : absl::StrCat("the plugin's master token is for ",
                                                          options_.server, ", not for ", server)));
  }
  if (entries_.size() >= kMostEntries && entries_.find(key) == entries_.end()) {
    for (auto it = entries_.begin(); it != entries_.end();) {
      it = it->second.asking ? std::next(it) : entries_.erase(it);
    }
  }
  Entry& entry = entries_[key];
  if (!entry.asking && clock_.Now() < entry.use_until) return done(entry.token);
  entry.waiting.push_back(std::move(done));
  if (std::exchange(entry.asking, true)) return;
  http_->Send(
      absl::StrCat("http://", server), TokenRequest(key.second),
      {.connect_timeout = kConnectTime,
       .timeout = kAnswerTime,
       .max_response_bytes = kLongestAnswer},
      [this, key, alive = std::weak_ptr<bool>(alive_)](absl::StatusOr<HttpResponse> answer) {
        if (!alive.expired()) OnAnswer(key, std::move(answer));
      });
}

void RegistryProxy::OnAnswer(const Key& key, absl::StatusOr<HttpResponse> answer) {
  Entry& entry = entries_[key];
  const absl::Time now = clock_.Now();
  entry.token = NoToken(key.first, answer);
  entry.use_until = now + kPauseAfterFailure;
  if (answer.ok() && answer->status == 200) {
    absl::StatusOr<ProxyToken> read = ReadProxyToken(answer->body, now);
    if (read.ok()) {
      entry.token = std::move(read->token);
      entry.use_until = now + read->validity / 2;
    } else {
      entry.token = absl::DataLossError(absl::StrCat(key.first, ": ", read.status().message()));
    }
  }
  entry.asking = false;
  // Copies: whoever is told may ask for another, or end us.
  const absl::StatusOr<std::string> token = entry.token;
  std::vector<Done> waiting = std::exchange(entry.waiting, {});
  const std::weak_ptr<bool> alive = alive_;
  for (Done& done : waiting) {
    if (!alive.expired()) done(token);
  }
}

}  // namespace podferry
