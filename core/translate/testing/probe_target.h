// Something to probe: a server on a port of 127.0.0.1, with a thread of its own, whose answers a
// test chooses. Thread-safe.

#ifndef PODFERRY_CORE_TRANSLATE_TESTING_PROBE_TARGET_H_
#define PODFERRY_CORE_TRANSLATE_TESTING_PROBE_TARGET_H_

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/string_view.h"

namespace podferry {

class ProbeTarget {
 public:
  ProbeTarget();
  ~ProbeTarget();

  ProbeTarget(const ProbeTarget&) = delete;
  ProbeTarget& operator=(const ProbeTarget&) = delete;

  int port() const { return port_; }
  std::string Url(absl::string_view path) const;

  // From now on every request gets "HTTP/1.1 <answer>" ("200 OK", "302 Found\r\nLocation: /x").
  void Answer(const std::string& answer);
  // The same by path; others get what Answer() says.
  void AnswerAt(const std::string& path, const std::string& answer);
  // From now on requests wait for ever.
  void Hang();
  // From now on it speaks HTTP/2 and answers like a gRPC health service: the bytes of the message,
  // and the trailer.
  void AnswerGrpc(const std::string& message, int grpc_status);

  // What was asked: heads of requests, or for gRPC the bytes of the message.
  std::vector<std::string> Requests() const;

 private:
  void Serve();
  void ServeOne(int client);
  void ServeGrpc(int client);
  std::string AnswerFor(const std::string& head) const;

  int port_ = 0;
  int listener_;  // after the port, which it finds out
  std::atomic<bool> ended_{false};
  mutable std::mutex mutex_;
  std::string answer_ = "200 OK";
  std::vector<std::pair<std::string, std::string>> answers_;
  bool hangs_ = false;
  bool is_grpc_ = false;
  std::string message_;
  int grpc_status_ = 0;
  std::vector<std::string> requests_;
  std::vector<int> held_;
  std::thread thread_;
};

// A port of 127.0.0.1 that nobody listens on.
int FreePort();

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_TESTING_PROBE_TARGET_H_
