// ResponseWriter is the one handle through which a handler answers its request: at once or later,
// as a whole (Send) or as a stream (StartStream, Write..., Finish).
//
// The handler owns it and may move it anywhere. Every method is called on the event loop's thread.
// Nothing fails: if the client has gone, what is written is dropped. Dropping the handle without an
// answer sends 500 and logs an error; dropping it in the middle of a stream cuts the connection, so
// that the client can tell a truncated stream from a whole one. The handle may outlive the server
// (calls then do nothing).

#ifndef PODFERRY_CORE_HTTP_RESPONSE_WRITER_H_
#define PODFERRY_CORE_HTTP_RESPONSE_WRITER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "core/http/http_message.h"

namespace podferry {

// What stands behind a ResponseWriter: a connection, or a recorder in tests. Serves one request at
// a time.
class ResponseSink {
 public:
  virtual ~ResponseSink() = default;
  virtual void Send(HttpResponse response) = 0;
  virtual void StartStream(int status, HttpHeaders headers) = 0;
  virtual void Write(absl::string_view chunk) = 0;
  virtual void Finish() = 0;
  // The handle was dropped before Send or Finish.
  virtual void Abandon() = 0;
  virtual size_t buffered() const = 0;
  virtual bool client_gone() const = 0;
  virtual void OnDrained(absl::AnyInvocable<void()> callback) = 0;
  virtual void OnClientGone(absl::AnyInvocable<void()> callback) = 0;
};

class ResponseWriter {
 public:
  explicit ResponseWriter(std::weak_ptr<ResponseSink> sink) : sink_(std::move(sink)), open_(true) {}
  ResponseWriter(ResponseWriter&& other) noexcept
      : sink_(std::move(other.sink_)), open_(std::exchange(other.open_, false)) {}
  ResponseWriter& operator=(ResponseWriter&& other) noexcept;
  ~ResponseWriter() { Abandon(); }

  // Answers as a whole. The writer is spent afterwards.
  void Send(HttpResponse response);

  // Sends the status and headers at once; the body follows by Write until Finish. The body is
  // chunked (HTTP/1.0 clients get it unframed, ended by the connection's end).
  void StartStream(int status, HttpHeaders headers);
  // Queues a piece of the body and flushes it. Bytes are never held back for more.
  void Write(absl::string_view chunk);
  // Ends the body. The writer is spent afterwards.
  void Finish();

  // Bytes queued that the kernel has not taken yet. A producer that sees this grow waits for
  // OnDrained: the server does not bound it.
  size_t buffered() const;
  // Calls back once, as soon as nothing is buffered; never inside this call, never after the client
  // has gone. A second callback replaces the first.
  void OnDrained(absl::AnyInvocable<void()> callback);

  // Calls back once when the client closes its side or the connection breaks, but not after the
  // answer is complete. If the connection is gone already, this is within the call. A client that
  // closed only its sending side still gets what is written.
  void OnClientGone(absl::AnyInvocable<void()> callback);
  bool client_gone() const;

  // True until Send, Finish, or a move from this handle.
  bool open() const { return open_; }

 private:
  void Abandon();
  // The sink if the writer is open and its connection lives.
  std::shared_ptr<ResponseSink> sink() const { return open_ ? sink_.lock() : nullptr; }

  std::weak_ptr<ResponseSink> sink_;
  bool open_ = false;
};

// Called on the loop's thread for each request. Must not block.
using HttpHandler = absl::AnyInvocable<void(HttpRequest, ResponseWriter)>;

}  // namespace podferry

#endif  // PODFERRY_CORE_HTTP_RESPONSE_WRITER_H_
