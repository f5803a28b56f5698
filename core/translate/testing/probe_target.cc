#include "core/translate/testing/probe_target.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace podferry {
namespace {

int Listen(int* port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  EXPECT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(listen(listener, 16), 0);
  EXPECT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  *port = ntohs(address.sin_port);
  return listener;
}

// Reads until the text holds `end` or has `size` bytes; false if the other side is gone or silent.
bool ReadUntil(int client, absl::string_view end, size_t size, std::string* text) {
  while (end.empty() ? text->size() < size : !absl::StrContains(*text, end)) {
    pollfd poller = {client, POLLIN, 0};
    if (poll(&poller, 1, 5000) <= 0) return false;
    char buffer[4096];
    const ssize_t got = read(client, buffer, sizeof(buffer));
    if (got <= 0) return false;
    text->append(buffer, static_cast<size_t>(got));
  }
  return true;
}

void Send(int client, const std::string& bytes) {
  (void)!send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

// One frame of HTTP/2.
std::string Frame(int type, int flags, int stream, const std::string& payload) {
  std::string frame(9, '\0');
  frame[1] = static_cast<char>(payload.size() >> 8);
  frame[2] = static_cast<char>(payload.size());
  frame[3] = static_cast<char>(type);
  frame[4] = static_cast<char>(flags);
  frame[8] = static_cast<char>(stream);
  return frame + payload;
}

// A header without any compression.
std::string Header(const std::string& name, const std::string& value) {
  return absl::StrCat(absl::string_view("\0", 1), std::string(1, static_cast<char>(name.size())),
                      name, std::string(1, static_cast<char>(value.size())), value);
}

constexpr int kData = 0;
constexpr int kHeaders = 1;
constexpr int kSettings = 4;
constexpr int kEndStream = 1;
constexpr int kEndHeaders = 4;
constexpr size_t kPreface = 24;

}  // namespace

ProbeTarget::ProbeTarget() : listener_(Listen(&port_)), thread_([this] { Serve(); }) {}

ProbeTarget::~ProbeTarget() {
  ended_ = true;
  shutdown(listener_, SHUT_RDWR);
  thread_.join();
  close(listener_);
  for (const int client : held_) close(client);
}

std::string ProbeTarget::Url(absl::string_view path) const {
  return absl::StrCat("http://127.0.0.1:", port_, path);
}

void ProbeTarget::Answer(const std::string& answer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  answer_ = answer;
  hangs_ = false;
}

void ProbeTarget::AnswerAt(const std::string& path, const std::string& answer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  answers_.emplace_back(path, answer);
}

void ProbeTarget::Hang() {
  const std::lock_guard<std::mutex> lock(mutex_);
  hangs_ = true;
}

void ProbeTarget::AnswerGrpc(const std::string& message, int grpc_status) {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_grpc_ = true;
  message_ = message;
  grpc_status_ = grpc_status;
}

std::vector<std::string> ProbeTarget::Requests() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return requests_;
}

std::string ProbeTarget::AnswerFor(const std::string& head) const {
  for (const auto& [path, answer] : answers_) {
    if (absl::StartsWith(head, absl::StrCat("GET ", path, " "))) return answer;
  }
  return answer_;
}

void ProbeTarget::Serve() {
  while (!ended_) {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client >= 0) ServeOne(client);
  }
}

void ProbeTarget::ServeOne(int client) {
  bool is_grpc = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (hangs_) {
      held_.push_back(client);
      return;
    }
    is_grpc = is_grpc_;
    if (!is_grpc) {
      std::string head;
      if (ReadUntil(client, "\r\n\r\n", 0, &head)) {
        requests_.push_back(head);
        Send(client, absl::StrCat("HTTP/1.1 ", AnswerFor(head),
                                  "\r\nContent-Length: 3\r\nConnection: close\r\n\r\nhi\n"));
      }
    }
  }
  if (is_grpc) ServeGrpc(client);
  close(client);
}

void ProbeTarget::ServeGrpc(int client) {
  std::string text;
  if (!ReadUntil(client, "", kPreface, &text)) return;
  text.erase(0, kPreface);
  Send(client, Frame(kSettings, 0, 0, ""));
  std::string request;
  for (;;) {
    if (!ReadUntil(client, "", 9, &text)) return;
    const auto byte = [&](int i) { return static_cast<unsigned char>(text[i]); };
    const size_t size = byte(0) << 16 | byte(1) << 8 | byte(2);
    const int type = byte(3);
    const int flags = byte(4);
    if (!ReadUntil(client, "", 9 + size, &text)) return;
    if (type == kData) request.append(text, 9, size);
    if (type == kSettings && flags == 0) Send(client, Frame(kSettings, 1, 0, ""));
    text.erase(0, 9 + size);
    if ((type == kData || type == kHeaders) && (flags & kEndStream) != 0) break;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  requests_.push_back(request);
  std::string answer =
      Frame(kHeaders, kEndHeaders, 1, "\x88" + Header("content-type", "application/grpc"));
  if (!message_.empty()) answer += Frame(kData, 0, 1, message_);
  answer += Frame(kHeaders, kEndHeaders | kEndStream, 1,
                  Header("grpc-status", absl::StrCat(grpc_status_)));
  Send(client, answer);
  char rest[4096];
  while (read(client, rest, sizeof(rest)) > 0) {
  }
}

int FreePort() {
  int port = 0;
  close(Listen(&port));
  return port;
}

}  // namespace podferry
