#include "core/http/connection_pool.h"

#include <algorithm>
#include <utility>

namespace podferry::http_internal {

ConnectionPool::ConnectionPool(boost::asio::io_context& context, absl::Duration idle_timeout,
                               size_t max_idle_per_endpoint)
    : idle_timeout_(idle_timeout),
      max_idle_per_endpoint_(max_idle_per_endpoint),
      next_expiry_(context, [this] { CloseExpired(); }) {}

std::unique_ptr<Transport> ConnectionPool::Take(const std::string& endpoint) {
  const auto found = idle_.find(endpoint);
  if (found == idle_.end()) return nullptr;
  std::unique_ptr<Transport> transport;
  std::deque<Idle>& connections = found->second;
  while (transport == nullptr && !connections.empty()) {
    transport = std::move(connections.back().transport);
    connections.pop_back();
    // Readable while nothing was asked: the server has closed it, or breaks the protocol.
    if (!transport->Quiet()) transport = nullptr;
  }
  if (connections.empty()) idle_.erase(found);
  return transport;
}

void ConnectionPool::Put(const std::string& endpoint, std::unique_ptr<Transport> transport) {
  if (max_idle_per_endpoint_ == 0) return;
  std::deque<Idle>& connections = idle_[endpoint];
  if (connections.size() >= max_idle_per_endpoint_) connections.pop_front();
  const LazyDeadline::Time until = LazyDeadline::After(idle_timeout_);
  connections.push_back({std::move(transport), until});
  if (idle() == 1) next_expiry_.Set(until);
}

size_t ConnectionPool::idle() const {
  size_t count = 0;
  for (const auto& [endpoint, connections] : idle_) count += connections.size();
  return count;
}

void ConnectionPool::CloseExpired() {
  const LazyDeadline::Time now = LazyDeadline::Clock::now();
  LazyDeadline::Time next = LazyDeadline::Time::max();
  for (auto it = idle_.begin(); it != idle_.end();) {
    const auto current = it++;
    std::deque<Idle>& connections = current->second;
    while (!connections.empty() && connections.front().until <= now) connections.pop_front();
    if (connections.empty()) {
      idle_.erase(current);
    } else {
      next = std::min(next, connections.front().until);
    }
  }
  if (next != LazyDeadline::Time::max()) next_expiry_.Set(next);
}

}  // namespace podferry::http_internal
