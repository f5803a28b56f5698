// Connections of an HttpClient that wait for their next request. Internal to core/http; loop
// thread.

#ifndef PODFERRY_CORE_HTTP_CONNECTION_POOL_H_
#define PODFERRY_CORE_HTTP_CONNECTION_POOL_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "core/http/lazy_deadline.h"
#include "core/http/transport.h"

namespace podferry::http_internal {

class ConnectionPool {
 public:
  ConnectionPool(boost::asio::io_context& context, absl::Duration idle_timeout,
                 size_t max_idle_per_endpoint);

  // The most recently used connection to `endpoint` that its server has not closed, or null.
  std::unique_ptr<Transport> Take(const std::string& endpoint);

  // Keeps a connection on which nothing is going on.
  void Put(const std::string& endpoint, std::unique_ptr<Transport> transport);

  size_t idle() const;

 private:
  struct Idle {
    std::unique_ptr<Transport> transport;
    LazyDeadline::Time until;
  };
  void CloseExpired();

  const absl::Duration idle_timeout_;
  const size_t max_idle_per_endpoint_;
  absl::flat_hash_map<std::string, std::deque<Idle>> idle_;  // oldest first
  LazyDeadline next_expiry_;
};

}  // namespace podferry::http_internal

#endif  // PODFERRY_CORE_HTTP_CONNECTION_POOL_H_
