#include "e2e/harness/http.h"

#include <curl/curl.h>

#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace podferry::e2e {

struct StreamCallbacks {
  static size_t Write(char* data, size_t size, size_t count, void* self) {
    auto* stream = static_cast<HttpClient::Stream*>(self);
    std::lock_guard<std::mutex> lock(stream->mutex_);
    stream->received_.append(data, size * count);
    return size * count;
  }
  static int Progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return static_cast<HttpClient::Stream*>(self)->hang_up_ ? 1 : 0;
  }
};

namespace {

struct CurlDeleter {
  void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

size_t Append(char* data, size_t size, size_t count, void* out) {
  static_cast<std::string*>(out)->append(data, size * count);
  return size * count;
}

class Request {
 public:
  Request(absl::string_view base, const char* method, absl::string_view path,
          absl::string_view body)
      : curl_(curl_easy_init()),
        headers_(curl_slist_append(nullptr, "Content-Type: application/json")),
        body_(body) {
    std::string url;
    if (absl::ConsumePrefix(&base, "unix:")) {
      curl_easy_setopt(curl_.get(), CURLOPT_UNIX_SOCKET_PATH, std::string(base).c_str());
      url = absl::StrCat("http://unix", path);
    } else {
      url = absl::StrCat(base, path);
    }
    // The last header: without it curl waits a second for "100 Continue" before a large body.
    headers_.reset(curl_slist_append(headers_.release(), "Expect:"));
    curl_easy_setopt(curl_.get(), CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl_.get(), CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl_.get(), CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl_.get(), CURLOPT_HTTPHEADER, headers_.get());
    if (!body_.empty() || absl::string_view(method) == "POST") {
      curl_easy_setopt(curl_.get(), CURLOPT_POSTFIELDSIZE_LARGE,
                       static_cast<curl_off_t>(body_.size()));
      curl_easy_setopt(curl_.get(), CURLOPT_POSTFIELDS, body_.data());
    }
    curl_easy_setopt(curl_.get(), CURLOPT_CUSTOMREQUEST, method);
  }

  CURL* curl() { return curl_.get(); }
  int Perform(std::string* error) {
    CURLcode result = curl_easy_perform(curl_.get());
    if (result != CURLE_OK) *error = curl_easy_strerror(result);
    return Code();
  }
  int Code() {
    long code = 0;
    curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &code);
    return static_cast<int>(code);
  }

 private:
  std::unique_ptr<CURL, CurlDeleter> curl_;
  std::unique_ptr<curl_slist, CurlDeleter> headers_;
  std::string body_;
};

}  // namespace

HttpAnswer HttpClient::Call(const char* method, absl::string_view path, absl::string_view body,
                            absl::Duration timeout) const {
  HttpAnswer answer;
  Request request(base_, method, path, body);
  curl_easy_setopt(request.curl(), CURLOPT_TIMEOUT_MS,
                   static_cast<long>(timeout / absl::Milliseconds(1)));
  curl_easy_setopt(request.curl(), CURLOPT_WRITEFUNCTION, &Append);
  curl_easy_setopt(request.curl(), CURLOPT_WRITEDATA, &answer.body);
  answer.code = request.Perform(&answer.error);
  if (!answer.error.empty()) answer.code = 0;
  return answer;
}

HttpAnswer HttpClient::Get(absl::string_view path, absl::string_view body,
                           absl::Duration timeout) const {
  return Call("GET", path, body, timeout);
}

HttpAnswer HttpClient::Post(absl::string_view path, absl::string_view body,
                            absl::Duration timeout) const {
  return Call("POST", path, body, timeout);
}

HttpClient::Stream::Stream(std::string base, std::string path, std::string body)
    : thread_([this, base, path, body] { Run(base, path, body); }) {}

HttpClient::Stream::~Stream() {
  hang_up_ = true;
  thread_.join();
}

std::string HttpClient::Stream::Received() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return received_;
}

void HttpClient::Stream::Run(const std::string& base, const std::string& path,
                             const std::string& body) {
  Request request(base, "GET", path, body);
  curl_easy_setopt(request.curl(), CURLOPT_WRITEFUNCTION, &StreamCallbacks::Write);
  curl_easy_setopt(request.curl(), CURLOPT_WRITEDATA, this);
  curl_easy_setopt(request.curl(), CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(request.curl(), CURLOPT_XFERINFOFUNCTION, &StreamCallbacks::Progress);
  curl_easy_setopt(request.curl(), CURLOPT_XFERINFODATA, this);
  std::string error;
  code_ = request.Perform(&error);
  ended_ = true;
}

}  // namespace podferry::e2e
