// One connection of an HttpServer: reads requests, hands one at a time to the handler, writes its
// answer. Internal to core/http.
//
// It reads even while an answer is due: that is how a client's going away shows. What arrives then
// is kept, bounded, for the next request. The next request is handled when the kernel has taken all
// of the previous answer, so that a client which does not read cannot make us queue.
//
// A state machine over callbacks, not a coroutine: it waits for a read, a write, the handler and a
// timer at once, and Boost 1.74 has no way to cancel a coroutine that waits for one of them. All of
// it stays in one class, longer than most, as every event may touch all of the state.
//
// Kept alive by ServerShared::sessions until Close, then by operations that still run.

#ifndef PODFERRY_CORE_HTTP_SERVER_SESSION_H_
#define PODFERRY_CORE_HTTP_SERVER_SESSION_H_

#include "core/http/transport.h"
//
#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "core/http/http_server_options.h"
#include "core/http/lazy_deadline.h"
#include "core/http/output_queue.h"
#include "core/http/request_parser.h"
#include "core/http/response_encoder.h"
#include "core/http/response_writer.h"

namespace podferry::http_internal {

class ServerSession;

// What a server and its connections share.
struct ServerShared {
  boost::asio::io_context& context;
  HttpServerOptions options;
  HttpHandler handler;
  HttpDate date;
  bool stopping = false;
  bool destroyed = false;  // the server; its handlers' callbacks may be dangling now
  absl::flat_hash_map<ServerSession*, std::shared_ptr<ServerSession>> sessions;
  // Called when a session has left `sessions`.
  absl::AnyInvocable<void()> on_closed;
};

class ServerSession final : public ResponseSink,
                            public Transport::Listener,
                            public std::enable_shared_from_this<ServerSession> {
 public:
  // With `refuse`, its first request is answered 503: there are too many connections.
  ServerSession(std::shared_ptr<ServerShared> shared, std::unique_ptr<Transport> transport,
                bool refuse);

  void Start();
  // Closes at once if no request is being received or answered, otherwise after the answer.
  void StopWhenIdle();
  enum class Notice { kTellHandler, kSilent };
  void Close(Notice notice);

  // ResponseSink
  void Send(HttpResponse response) override;
  void StartStream(int status, HttpHeaders headers) override;
  void Write(absl::string_view chunk) override;
  void Finish() override;
  void Abandon() override;
  size_t buffered() const override { return output_.size(); }
  bool client_gone() const override { return closed_ || eof_; }
  void OnDrained(absl::AnyInvocable<void()> callback) override;
  void OnClientGone(absl::AnyInvocable<void()> callback) override;

  // Transport::Listener
  void OnHandshake(Transport::ErrorCode error) override;
  void OnRead(Transport::ErrorCode error, size_t bytes) override;
  void OnWritten(Transport::ErrorCode error, size_t bytes) override;
  void OnShutdown() override;

 private:
  enum class Answer { kNone, kStreaming, kComplete };
  enum class Waiting { kNothing, kIdle, kHeader, kBody };

  // Reading.
  void Continue();
  void ReadMore();
  void OnReadEnd();
  void SetReadDeadline();
  size_t Consume(absl::string_view bytes);
  void ConsumeInput();
  void Dispatch();
  void BeginExchange();
  void SendContinueIfAwaited();
  void Reject(int status, absl::string_view message);

  // Writing.
  ResponseFraming Framing();
  void Flush();
  void OnFlushed();
  void EndExchange();

  // Closing.
  void BeginClose();
  void Linger();
  void OnTimer();
  void TellClientGone();
  void TellDrained();

  const std::shared_ptr<ServerShared> shared_;
  const std::unique_ptr<Transport> transport_;
  const bool refuse_;

  std::unique_ptr<char[]> chunk_;  // where reads land
  std::string input_;              // read, but not consumed yet
  std::optional<RequestParser> parser_;
  bool reading_ = false;
  bool consuming_ = false;
  bool eof_ = false;
  bool sent_continue_ = false;
  Waiting waiting_ = Waiting::kNothing;
  uint64_t body_mark_ = 0;

  // The exchange: from a request's last byte to its answer's.
  bool in_exchange_ = false;
  bool keep_alive_ = true;
  bool http11_ = true;
  bool head_ = false;
  bool chunked_ = false;
  bool has_body_ = false;
  std::string path_;
  Answer answer_ = Answer::kNone;
  absl::AnyInvocable<void()> on_client_gone_;
  absl::AnyInvocable<void()> on_drained_;

  OutputQueue output_;
  bool writing_ = false;

  bool closing_ = false;  // the last answer has been written
  bool closed_ = false;
  LazyDeadline::Time linger_end_;
  LazyDeadline read_deadline_;
  LazyDeadline write_deadline_;
};

}  // namespace podferry::http_internal

#endif  // PODFERRY_CORE_HTTP_SERVER_SESSION_H_
