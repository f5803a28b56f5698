#ifndef PODFERRY_E2E_HARNESS_HTTP_H_
#define PODFERRY_E2E_HARNESS_HTTP_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace podferry::e2e {

struct HttpAnswer {
  int code = 0;  // 0: no answer, see error
  std::string body;
  std::string error;
};

// A blocking HTTP client as a test needs it: libcurl, so that the server is not tested by its own
// code. `base` is "http://host:port" or "unix:/path". A GET may carry a body, as interLink's do.
class HttpClient {
 public:
  explicit HttpClient(std::string base) : base_(std::move(base)) {}

  const std::string& base() const { return base_; }

  HttpAnswer Get(absl::string_view path, absl::string_view body = "",
                 absl::Duration timeout = absl::Seconds(30)) const;
  HttpAnswer Post(absl::string_view path, absl::string_view body,
                  absl::Duration timeout = absl::Seconds(30)) const;

  // An answer that is read while it comes (followed logs), on a thread of its own; the destructor
  // hangs up.
  class Stream {
   public:
    Stream(std::string base, std::string path, std::string body);
    ~Stream();
    std::string Received() const;
    bool Ended() const { return ended_; }
    int code() const { return code_; }

   private:
    void Run(const std::string& base, const std::string& path, const std::string& body);

    mutable std::mutex mutex_;
    std::string received_;
    std::atomic<bool> ended_ = false;
    std::atomic<bool> hang_up_ = false;
    std::atomic<int> code_ = 0;
    std::thread thread_;
    friend struct StreamCallbacks;
  };
  std::unique_ptr<Stream> StartGet(std::string path, std::string body) const {
    return std::make_unique<Stream>(base_, std::move(path), std::move(body));
  }

 private:
  HttpAnswer Call(const char* method, absl::string_view path, absl::string_view body,
                  absl::Duration timeout) const;

  std::string base_;
};

}  // namespace podferry::e2e

#endif  // PODFERRY_E2E_HARNESS_HTTP_H_
