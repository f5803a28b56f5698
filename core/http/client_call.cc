#include "core/http/client_call.h"

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/error.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/http/response_encoder.h"

namespace podferry::http_internal {
namespace {

namespace asio = boost::asio;

constexpr size_t kChunkBytes = 32 << 10;

// RFC 9110, 9.2.2.
bool IsIdempotent(absl::string_view method) {
  return method == "GET" || method == "HEAD" || method == "PUT" || method == "DELETE" ||
         method == "OPTIONS";
}

}  // namespace

ClientCall::ClientCall(std::shared_ptr<ClientShared> shared, HttpEndpoint endpoint,
                       HttpRequest request, HttpCallOptions options,
                       HttpClient::ResponseCallback whole, HttpStreamCallbacks stream)
    : shared_(std::move(shared)),
      endpoint_(std::move(endpoint)),
      endpoint_key_(endpoint_.ToString()),
      request_(std::move(request)),
      options_(options),
      whole_(std::move(whole)),
      stream_(std::move(stream)),
      streaming_(whole_ == nullptr),
      deadline_(shared_->context, [this] { OnTimer(); }) {}

void ClientCall::Start() {
  if (ended_) return;
  deadline_end_ = LazyDeadline::After(options_.timeout);
  transport_ = shared_->pool.Take(endpoint_key_);
  reused_ = transport_ != nullptr;
  if (!reused_) return Connect();
  Write();
}

// ---- Connecting.

void ClientCall::Connect() {
  connected_ = false;
  deadline_.Set(std::min(deadline_end_, LazyDeadline::After(options_.connect_timeout)));
  if (endpoint_.kind == HttpEndpoint::Kind::kUnix) {
    ConnectUnix();
  } else {
    ConnectTcp();
  }
}

void ClientCall::ConnectUnix() {
  auto socket = std::make_shared<StreamSocket>(shared_->context);
  const asio::local::stream_protocol::endpoint path(endpoint_.path);
  // A unix socket connects at once or not at all.
  ErrorCode error;
  socket->open(path.protocol(), error);
  if (!error) socket->non_blocking(true, error);
  if (!error) socket->connect(path, error);
  OnConnected(error, std::move(*socket));
}

void ClientCall::ConnectTcp() {
  ErrorCode error;
  const asio::ip::address literal = asio::ip::make_address(endpoint_.host, error);
  connecting_.emplace(shared_->context);
  const auto connected = [self = shared_from_this()](ErrorCode failed) {
    if (self->ended_) return;
    ErrorCode ignored;
    self->connecting_->set_option(Tcp::no_delay(true), ignored);
    self->connecting_->set_option(asio::socket_base::keep_alive(true), ignored);
    self->OnConnected(failed, StreamSocket(std::move(*self->connecting_)));
  };
  if (!error) {
    connecting_->async_connect(Tcp::endpoint(literal, endpoint_.port), connected);
    return;
  }
  resolver_.emplace(shared_->context);
  resolver_->async_resolve(
      endpoint_.host, absl::StrCat(endpoint_.port),
      [self = shared_from_this(), connected](ErrorCode failed, Resolver::results_type results) {
        if (self->ended_) return;
        if (failed) return connected(failed);
        asio::async_connect(*self->connecting_, results,
                            [connected](ErrorCode e, const Tcp::endpoint&) { connected(e); });
      });
}

void ClientCall::OnConnected(ErrorCode error, StreamSocket socket) {
  if (error) {
    return Fail(absl::UnavailableError(
        absl::StrCat("cannot connect to ", endpoint_key_, ": ", error.message())));
  }
  transport_ = endpoint_.kind == HttpEndpoint::Kind::kHttps
                   ? MakeTlsClientTransport(std::move(socket), *shared_->tls, endpoint_.host)
                   : MakePlainTransport(std::move(socket));
  transport_->Handshake(shared_from_this());
}

void ClientCall::OnHandshake(ErrorCode error) {
  if (ended_) return;
  if (error) {
    return Fail(absl::UnauthenticatedError(
        absl::StrCat("TLS with ", endpoint_key_, " failed: ", error.message())));
  }
  Write();
}

// ---- Writing and reading, at the same time: a server may refuse a body before it has all of it.

void ClientCall::Write() {
  connected_ = true;
  deadline_.Set(deadline_end_);
  ResetParser();
  EncodeRequestHead(request_, endpoint_.HostHeader(), output_.tail());
  if (reused_) {
    output_.AppendBody(request_.body);  // it may have to be sent once more
  } else {
    output_.AppendBody(std::move(request_.body));
  }
  Flush();
  if (!ended_ && transport_) ReadMore();
}

void ClientCall::Flush() {
  while (!writing_ && !output_.empty()) {
    ErrorCode error;
    const Transport::ConstBuffers buffers = output_.Front();
    const size_t written = transport_->TryWrite(buffers, &error);
    // The read tells what happened; perhaps there is even an answer.
    if (error) return;
    output_.Consume(written);
    if (written > 0) continue;
    writing_ = true;
    transport_->WriteSome(buffers, shared_from_this());
  }
}

void ClientCall::OnWritten(ErrorCode error, size_t bytes) {
  if (std::exchange(retired_writes_, false)) return;
  writing_ = false;
  if (ended_ || error) return;
  output_.Consume(bytes);
  Flush();
}

void ClientCall::ReadMore() {
  if (!chunk_) chunk_.reset(new char[kChunkBytes]);
  transport_->ReadSome(asio::buffer(chunk_.get(), kChunkBytes), shared_from_this());
}

void ClientCall::OnRead(ErrorCode error, size_t bytes) {
  if (ended_) return;
  if (error) return OnConnectionEnd(error);
  got_bytes_ = true;
  input_.append(chunk_.get(), bytes);
  ParseInput();
}

void ClientCall::ParseInput() {
  size_t used = 0;
  while (used < input_.size()) {
    const absl::StatusOr<size_t> consumed = parser_->Feed(absl::string_view(input_).substr(used));
    if (ended_) return;
    if (!consumed.ok()) return Fail(consumed.status());
    used += *consumed;
    if (!parser_->done()) break;
    if (!parser_->interim()) {
      input_.erase(0, used);
      return Finish();
    }
    if (parser_->status() == 101) return Fail(absl::DataLossError("unexpected upgrade"));
    ResetParser();
  }
  input_.erase(0, used);
  ReadMore();
}

void ClientCall::OnConnectionEnd(const ErrorCode& error) {
  if (!got_bytes_ && RetryOnFreshConnection()) return;
  if (error != asio::error::eof) {
    return Fail(absl::UnavailableError(
        absl::StrCat("the connection to ", endpoint_key_, " broke: ", error.message())));
  }
  if (!got_bytes_) {
    return Fail(absl::UnavailableError(
        absl::StrCat(endpoint_key_, " closed the connection without an answer")));
  }
  const absl::Status status = parser_->FeedEnd();
  if (!status.ok()) return Fail(absl::UnavailableError(status.message()));
  Finish();
}

// The server may have closed an idle connection while our request was on its way.
bool ClientCall::RetryOnFreshConnection() {
  if (!reused_ || !IsIdempotent(request_.method)) return false;
  reused_ = false;
  transport_->Close();
  retired_ = std::move(transport_);
  retired_writes_ = std::exchange(writing_, false);
  output_ = OutputQueue();
  Connect();
  return true;
}

void ClientCall::OnHeader(int status, HttpHeaders headers) {
  response_.status = status;
  if (!streaming_) {
    response_.headers = std::move(headers);
    return;
  }
  deadline_.Clear();
  if (stream_.on_header) stream_.on_header(status, headers);
}

bool ClientCall::OnBody(absl::string_view bytes) {
  if (ended_) return false;
  if (!streaming_) {
    response_.body.append(bytes.data(), bytes.size());
  } else if (stream_.on_chunk) {
    stream_.on_chunk(bytes);
  }
  return !ended_;
}

// ---- Ending.

void ClientCall::Finish() {
  // A connection with half a request or unasked-for bytes on it is of no use any more.
  if (parser_->keep_alive() && output_.empty() && !writing_ && input_.empty()) {
    shared_->pool.Put(endpoint_key_, std::move(transport_));
  }
  if (!End()) return;
  if (!streaming_) {
    whole_(std::move(response_));
  } else if (stream_.on_end) {
    stream_.on_end(absl::OkStatus());
  }
}

void ClientCall::Fail(absl::Status status) {
  if (!End()) return;
  if (!streaming_) {
    whole_(std::move(status));
  } else if (stream_.on_end) {
    stream_.on_end(std::move(status));
  }
}

void ClientCall::OnTimer() {
  const auto self = shared_from_this();
  Fail(absl::DeadlineExceededError(
      connected_ ? absl::StrCat("no answer from ", endpoint_key_, " in ",
                                absl::FormatDuration(options_.timeout))
                 : absl::StrCat("cannot connect to ", endpoint_key_, " in time")));
}

void ClientCall::ResetParser() {
  parser_.emplace(this, request_.method == "HEAD",
                  streaming_ ? std::nullopt : std::optional<uint64_t>(options_.max_response_bytes));
}

bool ClientCall::End() {
  if (ended_) return false;
  ended_ = true;
  deadline_.Clear();
  ErrorCode ignored;
  if (resolver_) resolver_->cancel();
  if (connecting_) connecting_->close(ignored);
  if (transport_) transport_->Close();
  shared_->calls.erase(shared_from_this());
  return true;
}

}  // namespace podferry::http_internal
