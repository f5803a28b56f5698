// The requests that the load generator sends, in the form of interLink's: rendered once, with only
// what differs between two pods put in before each is sent. Pure.

#ifndef PODFERRY_TOOLS_LOAD_POD_REQUESTS_H_
#define PODFERRY_TOOLS_LOAD_POD_REQUESTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace podferry::load {

// Pods of one run: number 7 of run 0xab is named "load-000000ab-00000007", and its UID has both
// numbers, too. Another run with the same number names the same pods.
std::string PodName(uint32_t run, uint32_t number);
std::string PodUid(uint32_t run, uint32_t number);

// A whole HTTP request with places for a pod's name and UID. A plain value: each connection has
// one.
class RequestTemplate {
 public:
  // POST /create of one pod, its body padded by an annotation to `body_bytes` if it is shorter.
  static RequestTemplate Create(absl::string_view host, absl::string_view pool, size_t body_bytes);

  // GET /status of `pods` pods, about 300 bytes each.
  static RequestTemplate Status(absl::string_view host, size_t pods);

  // GET /status of no pod: interLink's ping.
  static RequestTemplate Ping(absl::string_view host);

  // The bytes for the pods `first`, `first` + 1, ... of a run; valid until the next call.
  absl::string_view For(uint32_t run, uint32_t first);

  // Pods in one request.
  size_t pods() const { return pods_; }
  absl::string_view body() const { return absl::string_view(text_).substr(body_at_); }

 private:
  RequestTemplate(absl::string_view method, absl::string_view path, absl::string_view host,
                  absl::string_view body, size_t pods);

  std::string text_;
  size_t body_at_;
  size_t pods_;
  // Where each pod's values stand: (offset, pod's index in the request).
  std::vector<std::pair<size_t, size_t>> names_;
  std::vector<std::pair<size_t, size_t>> uids_;
};

}  // namespace podferry::load

#endif  // PODFERRY_TOOLS_LOAD_POD_REQUESTS_H_
