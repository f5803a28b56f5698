// Tokens of the registry proxies that pools name (BuildConfig's [shub_proxy]): jobs show them to
// get images. A token is asked for with the proxy's master token, which stays in here: it goes to
// the proxy, into no script, no log and no error text.
//
// Owned by the daemon; event loop's thread only. Tokens are shared by jobs for the first half of
// their time, so that each job has at least the other half of it. A proxy that gave none is left
// alone for a while: jobs then go to the registry at once.

#ifndef PODFERRY_PLUGIN_REGISTRY_PROXY_H_
#define PODFERRY_PLUGIN_REGISTRY_PROXY_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/http/http_client.h"

namespace podferry {

struct RegistryProxyOptions {
  std::string master_token;  // secret
  // The only proxy (HOST or HOST:PORT) that is shown the master token; empty: any that a pool
  // names.
  std::string server;
};

class RegistryProxy {
 public:
  // A token, or why there is none: UNAVAILABLE (the proxy is down or too slow, or was just now),
  // UNAUTHENTICATED (the master token), FAILED_PRECONDITION (no master token for this proxy),
  // DATA_LOSS (no token in the answer).
  using Done = absl::AnyInvocable<void(absl::StatusOr<std::string>)>;

  // Without a client there are no tokens. It outlives this.
  RegistryProxy(HttpClient* http, const Clock& clock, RegistryProxyOptions options)
      : http_(http), clock_(clock), options_(std::move(options)) {}

  // For jobs that use the proxy `server`. `master`: a master token that came with it (interLink's
  // jobConfig); empty: ours. `done` within a few seconds, possibly within the call; not at all once
  // this is destroyed.
  void GetToken(const std::string& server, const std::string& master, Done done);

 private:
  struct Entry {
    absl::StatusOr<std::string> token = absl::UnavailableError("not asked yet");
    absl::Time use_until = absl::InfinitePast();
    bool asking = false;
    std::vector<Done> waiting;
  };
  using Key = std::pair<std::string, std::string>;  // server, master token

  void OnAnswer(const Key& key, absl::StatusOr<HttpResponse> answer);

  HttpClient* const http_;
  const Clock& clock_;
  const RegistryProxyOptions options_;
  std::map<Key, Entry> entries_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// What a proxy's answer says: the token, and how long it is good for (a JWT's "exp", "expires_in"
// beside it, else an assumed time). DATA_LOSS: no token.
struct ProxyToken {
  std::string token;
  absl::Duration validity;
};
absl::StatusOr<ProxyToken> ReadProxyToken(absl::string_view body, absl::Time now);

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_REGISTRY_PROXY_H_
