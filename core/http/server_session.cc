#include "core/http/server_session.h"

#include <glog/logging.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include "core/http/json_error.h"

namespace podferry::http_internal {
namespace {

constexpr size_t kChunkBytes = 32 << 10;
// What is kept of requests that a client sends ahead of their turn.
constexpr size_t kMaxInputBytes = 64 << 10;
// See HttpServerOptions::progress_timeout.
constexpr uint64_t kProgressBytes = 16 << 10;
// After the last answer the client gets this long to read it, as long as it goes on sending;
// closing with unread input would destroy the answer on its way.
constexpr absl::Duration kLingerPause = absl::Seconds(5);
constexpr absl::Duration kLingerTotal = absl::Seconds(30);

}  // namespace

ServerSession::ServerSession(std::shared_ptr<ServerShared> shared,
                             std::unique_ptr<Transport> transport, bool refuse)
    : shared_(std::move(shared)),
      transport_(std::move(transport)),
      refuse_(refuse),
      chunk_(new char[kChunkBytes]),
      read_deadline_(shared_->context, [this] { OnTimer(); }),
      write_deadline_(shared_->context, [this] { Close(Notice::kTellHandler); }) {}

void ServerSession::Start() {
  read_deadline_.SetAfter(shared_->options.header_timeout);
  transport_->Handshake(shared_from_this());
}

void ServerSession::OnHandshake(Transport::ErrorCode error) {
  if (closed_) return;
  if (error) {
    LOG_EVERY_N(WARNING, 100) << "a TLS handshake failed: " << error.message();
    return Close(Notice::kSilent);
  }
  Continue();
}

// ---- Reading.

// Decides what to wait for next.
void ServerSession::Continue() {
  if (closed_ || closing_ || consuming_) return;
  if (in_exchange_) {
    read_deadline_.Clear();
    if (input_.size() < kMaxInputBytes) ReadMore();
    return;
  }
  if (eof_ || (shared_->stopping && !parser_)) return Close(Notice::kSilent);
  SetReadDeadline();
  ReadMore();
}

void ServerSession::ReadMore() {
  if (reading_ || eof_) return;
  reading_ = true;
  transport_->ReadSome(boost::asio::buffer(chunk_.get(), kChunkBytes), shared_from_this());
}

void ServerSession::SetReadDeadline() {
  const HttpServerOptions& options = shared_->options;
  if (!parser_) {
    waiting_ = Waiting::kIdle;
    read_deadline_.SetAfter(options.idle_timeout);
  } else if (!parser_->header_done()) {
    if (waiting_ != Waiting::kHeader) read_deadline_.SetAfter(options.header_timeout);
    waiting_ = Waiting::kHeader;
  } else if (waiting_ != Waiting::kBody || parser_->body_bytes() >= body_mark_ + kProgressBytes) {
    waiting_ = Waiting::kBody;
    body_mark_ = parser_->body_bytes();
    read_deadline_.SetAfter(options.progress_timeout);
  }
}

void ServerSession::OnRead(Transport::ErrorCode error, size_t bytes) {
  reading_ = false;
  if (closed_) return;
  if (error == boost::asio::error::eof) {
    OnReadEnd();
  } else if (error) {
    Close(Notice::kTellHandler);
  } else if (closing_) {
    Linger();
  } else if (input_.empty()) {
    const size_t used = Consume({chunk_.get(), bytes});
    input_.append(chunk_.get() + used, bytes - used);
    Continue();
  } else {
    input_.append(chunk_.get(), bytes);
    ConsumeInput();
    Continue();
  }
}

// The client has closed its sending side, or altogether: that looks the same. What it has asked is
// still answered.
void ServerSession::OnReadEnd() {
  eof_ = true;
  if (closing_) return Close(Notice::kSilent);
  if (in_exchange_) TellClientGone();
  Continue();
}

void ServerSession::ConsumeInput() {
  const size_t used = Consume(input_);
  input_.erase(0, used);
}

// Parses and dispatches until an answer is due, or bytes are missing. Returns how many it used.
size_t ServerSession::Consume(absl::string_view bytes) {
  consuming_ = true;
  size_t used = 0;
  while (!in_exchange_ && !closing_ && !closed_ && used < bytes.size()) {
    const absl::string_view rest = bytes.substr(used);
    if (!parser_) {
      // Some clients end a body with a line break that belongs to nothing (RFC 9112, 2.2).
      if (rest.size() >= 2 && rest.substr(0, 2) == "\r\n") {
        used += 2;
        continue;
      }
      parser_.emplace(shared_->options.max_header_bytes, shared_->options.max_body_bytes);
      sent_continue_ = false;
    }
    const RequestParser::Progress progress = parser_->Feed(rest);
    used += progress.consumed;
    if (progress.state == RequestParser::Progress::kFailed) {
      Reject(progress.status, progress.message);
    } else if (refuse_ && parser_->header_done()) {
      Reject(503, "too many connections");
    } else if (progress.state == RequestParser::Progress::kDone) {
      Dispatch();
    } else {
      SendContinueIfAwaited();
      break;
    }
  }
  consuming_ = false;
  return used;
}

void ServerSession::Dispatch() {
  keep_alive_ = parser_->keep_alive();
  http11_ = parser_->http11();
  HttpRequest request = parser_->TakeRequest();
  parser_.reset();
  head_ = request.method == "HEAD";
  path_ = request.path;
  BeginExchange();
  shared_->handler(std::move(request), ResponseWriter(weak_from_this()));
}

void ServerSession::BeginExchange() {
  in_exchange_ = true;
  answer_ = Answer::kNone;
  waiting_ = Waiting::kNothing;
}

void ServerSession::SendContinueIfAwaited() {
  if (sent_continue_ || !parser_->expects_continue() || parser_->body_bytes() > 0) return;
  sent_continue_ = true;
  output_.tail()->append("HTTP/1.1 100 Continue\r\n\r\n");
  Flush();
}

void ServerSession::Reject(int status, absl::string_view message) {
  parser_.reset();
  input_.clear();
  keep_alive_ = false;
  http11_ = true;
  head_ = false;
  BeginExchange();
  HttpResponse response = JsonError(status, message);
  if (status == 503) response.headers.Add("Retry-After", "1");
  Send(std::move(response));
}

// ---- Writing.

void ServerSession::Send(HttpResponse response) {
  if (closed_) return;
  if (answer_ != Answer::kNone) {
    LOG(ERROR) << "a handler sent an answer into a stream it had started: " << path_;
    return Close(Notice::kSilent);
  }
  has_body_ = StatusHasBody(response.status);
  chunked_ = false;
  ResponseFraming framing = Framing();
  if (has_body_) framing.content_length = response.body.size();
  EncodeResponseHead(response.status, response.headers, framing, shared_->date.Now(),
                     output_.tail());
  if (has_body_ && !head_) output_.AppendBody(std::move(response.body));
  answer_ = Answer::kComplete;
  Flush();
}

void ServerSession::StartStream(int status, HttpHeaders headers) {
  if (closed_) return;
  if (answer_ != Answer::kNone) {
    LOG(ERROR) << "a handler started a stream twice: " << path_;
    return;
  }
  has_body_ = StatusHasBody(status);
  chunked_ = has_body_ && http11_;
  if (has_body_ && !http11_) keep_alive_ = false;
  ResponseFraming framing = Framing();
  framing.chunked = chunked_;
  EncodeResponseHead(status, headers, framing, shared_->date.Now(), output_.tail());
  answer_ = Answer::kStreaming;
  Flush();
}

void ServerSession::Write(absl::string_view chunk) {
  if (closed_ || head_ || !has_body_) return;
  if (answer_ != Answer::kStreaming) {
    LOG(ERROR) << "a handler wrote to a stream it had not started: " << path_;
    return;
  }
  if (chunked_) {
    EncodeChunk(chunk, output_.tail());
  } else {
    output_.tail()->append(chunk.data(), chunk.size());
  }
  Flush();
}

void ServerSession::Finish() {
  if (closed_) return;
  if (answer_ != Answer::kStreaming) {
    LOG(ERROR) << "a handler finished a stream it had not started: " << path_;
    return Abandon();
  }
  if (chunked_ && !head_) output_.tail()->append(kLastChunk);
  answer_ = Answer::kComplete;
  Flush();
}

void ServerSession::Abandon() {
  if (closed_) return;
  if (answer_ == Answer::kStreaming || eof_) {
    // Without the last chunk, the client knows that the body is not whole.
    LOG_IF(ERROR, !eof_) << "a handler dropped the stream of its answer: " << path_;
    return Close(Notice::kSilent);
  }
  LOG(ERROR) << "a handler dropped its request without an answer: " << path_;
  Send(JsonError(500, "the request was dropped without an answer"));
}

ResponseFraming ServerSession::Framing() {
  keep_alive_ = keep_alive_ && !shared_->stopping;
  return {.http11 = http11_, .keep_alive = keep_alive_, .content_length = absl::nullopt};
}

// Writes what it can now, and waits for the stream to take the rest.
void ServerSession::Flush() {
  while (!writing_ && !closed_ && !output_.empty()) {
    Transport::ErrorCode error;
    const Transport::ConstBuffers buffers = output_.Front();
    const size_t written = transport_->TryWrite(buffers, &error);
    if (error) return Close(Notice::kTellHandler);
    output_.Consume(written);
    if (written > 0) continue;
    writing_ = true;
    write_deadline_.SetAfter(shared_->options.progress_timeout);
    transport_->WriteSome(buffers, shared_from_this());
  }
  if (!writing_ && !closed_) OnFlushed();
}

void ServerSession::OnWritten(Transport::ErrorCode error, size_t bytes) {
  writing_ = false;
  write_deadline_.Clear();
  if (closed_) return;
  if (error) return Close(Notice::kTellHandler);
  output_.Consume(bytes);
  Flush();
}

void ServerSession::OnFlushed() {
  if (!in_exchange_) return;
  if (answer_ == Answer::kComplete) return EndExchange();
  if (on_drained_) TellDrained();
}

void ServerSession::EndExchange() {
  in_exchange_ = false;
  on_client_gone_ = nullptr;
  on_drained_ = nullptr;
  if (!keep_alive_) return BeginClose();
  if (consuming_) return;  // Consume goes on with the next request
  ConsumeInput();
  Continue();
}

void ServerSession::OnDrained(absl::AnyInvocable<void()> callback) {
  on_drained_ = std::move(callback);
  if (output_.empty()) TellDrained();
}

// Later, as the handler may be in the middle of a Write; and by then there may be more to write.
void ServerSession::TellDrained() {
  boost::asio::post(shared_->context, [self = shared_from_this()] {
    if (self->closed_ || self->shared_->destroyed || !self->output_.empty()) return;
    if (auto callback = std::exchange(self->on_drained_, nullptr)) callback();
  });
}

// ---- Closing.

void ServerSession::OnClientGone(absl::AnyInvocable<void()> callback) {
  on_client_gone_ = std::move(callback);
  if (client_gone()) TellClientGone();
}

void ServerSession::TellClientGone() {
  boost::asio::post(shared_->context, [self = shared_from_this()] {
    if (self->shared_->destroyed) return;
    if (auto callback = std::exchange(self->on_client_gone_, nullptr)) callback();
  });
}

void ServerSession::OnTimer() {
  const auto self = shared_from_this();
  if (!closing_ && waiting_ == Waiting::kHeader) return Reject(408, "the header came too slowly");
  if (!closing_ && waiting_ == Waiting::kBody) return Reject(408, "the body came too slowly");
  Close(Notice::kSilent);
}

void ServerSession::StopWhenIdle() {
  if (!in_exchange_ && !parser_ && !closing_) Close(Notice::kSilent);
}

void ServerSession::BeginClose() {
  closing_ = true;
  if (eof_) return Close(Notice::kSilent);
  read_deadline_.SetAfter(kLingerPause);
  linger_end_ = LazyDeadline::After(kLingerTotal);
  transport_->Shutdown(shared_from_this());
}

void ServerSession::OnShutdown() {
  if (!closed_) ReadMore();
}

// Throws away what the client still sends, until it has read our answer and closes.
void ServerSession::Linger() {
  read_deadline_.Set(std::min(LazyDeadline::After(kLingerPause), linger_end_));
  ReadMore();
}

void ServerSession::Close(Notice notice) {
  if (closed_) return;
  const auto self = shared_from_this();
  closed_ = true;
  transport_->Close();
  read_deadline_.Clear();
  write_deadline_.Clear();
  on_drained_ = nullptr;
  if (notice == Notice::kTellHandler && in_exchange_ && answer_ != Answer::kComplete) {
    TellClientGone();
  } else {
    on_client_gone_ = nullptr;
  }
  shared_->sessions.erase(this);
  if (shared_->on_closed) shared_->on_closed();
}

}  // namespace podferry::http_internal
