// How to reach a NATS server: what the flags --nats, --nats-creds and so on say. Plain data, and
// secret: nothing of it but address() is ever written to a log.

#ifndef PODFERRY_CORE_NATS_NATS_OPTIONS_H_
#define PODFERRY_CORE_NATS_NATS_OPTIONS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace podferry {

struct NatsOptions {
  // nats://[user[:password]@]host[:port] or tls://..., several separated by commas; a user alone is
  // a token. User and password are percent-decoded. Only these servers are used: what a cluster
  // says of its other members is often not reachable from a pool's site, so name several.
  std::string url = "nats://127.0.0.1:4222";

  // Files are read again for each connection, so that credentials can be renewed in place.
  std::string creds_file;  // user JWT and NKey seed, as nsc writes them
  std::string nkey_file;   // an NKey seed
  // Any of these three means TLS; so does a tls:// URL, and a server that asks for it.
  std::string ca_file;    // PEM; empty: the system's authorities
  std::string cert_file;  // PEM
  std::string key_file;   // PEM

  std::string name;  // shown by the server beside the connection

  // Answers come to subjects below this. A prefix per user, with permissions to match, keeps users
  // of one account from listening to each other's answers.
  std::string inbox_prefix = "_INBOX";

  // A server that answers two pings in a row too late is given up.
  absl::Duration ping_interval = absl::Seconds(10);
  absl::Duration connect_timeout = absl::Seconds(3);
  // A message whose writing takes longer means that the server hangs: the connection is given up.
  // So this also bounds how slow a link may be: 1 MiB in this time.
  absl::Duration write_deadline = absl::Seconds(10);
  // Pauses between attempts grow from one to the other, with jitter.
  absl::Duration reconnect_min = absl::Milliseconds(100);
  absl::Duration reconnect_max = absl::Seconds(5);

  // What may wait to be sent, and to be handled by the loop, before messages are refused or lost.
  size_t max_queued_messages = 65536;
  size_t max_queued_bytes = 256 * 1024 * 1024;
};

// One of the servers of a URL.
struct NatsAddress {
  bool tls = false;
  std::string host;  // IPv6 without its brackets
  int port = 4222;
  std::string user;
  std::string password;
  std::string token;

  // "host:port": what may be logged.
  std::string ToString() const;
};

// InvalidArgument says what is wrong without repeating the URL; Unimplemented for ws:// and wss://,
// which this build does not carry yet.
absl::StatusOr<std::vector<NatsAddress>> ParseNatsUrl(absl::string_view url);

// What can be said of the options without connecting: the URL, and files that go together.
absl::Status CheckNatsOptions(const NatsOptions& options);

}  // namespace podferry

#endif  // PODFERRY_CORE_NATS_NATS_OPTIONS_H_
