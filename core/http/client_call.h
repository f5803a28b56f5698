// One request of an HttpClient: connects or takes a pooled connection, writes, reads, reports.
// Internal to core/http.
//
// Kept alive by ClientShared::calls until it ends, then by operations that still run.

#ifndef PODFERRY_CORE_HTTP_CLIENT_CALL_H_
#define PODFERRY_CORE_HTTP_CLIENT_CALL_H_

#include "core/http/transport.h"
//
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/basic_resolver.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <memory>
#include <optional>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "core/http/connection_pool.h"
#include "core/http/http_client.h"
#include "core/http/http_endpoint.h"
#include "core/http/lazy_deadline.h"
#include "core/http/output_queue.h"
#include "core/http/response_parser.h"
#include "core/http/tls_context.h"

namespace podferry::http_internal {

class ClientCall;

// What a client and its calls share.
struct ClientShared {
  ClientShared(boost::asio::io_context& loop, HttpClientOptions client_options)
      : context(loop),
        options(std::move(client_options)),
        pool(loop, options.idle_timeout, options.max_idle_per_endpoint) {}

  boost::asio::io_context& context;
  const HttpClientOptions options;
  std::unique_ptr<TlsContext> tls;  // made at the first https call if no files are given
  ConnectionPool pool;
  absl::flat_hash_set<std::shared_ptr<ClientCall>> calls;
};

class ClientCall final : public Transport::Listener,
                         public ResponseParser::Sink,
                         public std::enable_shared_from_this<ClientCall> {
 public:
  // `whole` is null for a stream.
  ClientCall(std::shared_ptr<ClientShared> shared, HttpEndpoint endpoint, HttpRequest request,
             HttpCallOptions options, HttpClient::ResponseCallback whole,
             HttpStreamCallbacks stream);

  void Start();
  void Cancel() { End(); }
  void Fail(absl::Status status);

  // Transport::Listener
  void OnHandshake(Transport::ErrorCode error) override;
  void OnRead(Transport::ErrorCode error, size_t bytes) override;
  void OnWritten(Transport::ErrorCode error, size_t bytes) override;
  void OnShutdown() override {}

  // ResponseParser::Sink
  void OnHeader(int status, HttpHeaders headers) override;
  bool OnBody(absl::string_view bytes) override;

 private:
  using ErrorCode = Transport::ErrorCode;
  using Tcp = boost::asio::ip::tcp;
  using Executor = boost::asio::io_context::executor_type;
  using Resolver = boost::asio::ip::basic_resolver<Tcp, Executor>;
  using TcpSocket = boost::asio::basic_stream_socket<Tcp, Executor>;

  void Connect();
  void ConnectTcp();
  void ConnectUnix();
  void OnConnected(ErrorCode error, StreamSocket socket);
  void Write();
  void Flush();
  void ReadMore();
  void ParseInput();
  void OnConnectionEnd(const ErrorCode& error);
  bool RetryOnFreshConnection();
  void Finish();
  void OnTimer();
  void ResetParser();
  // Ends the call without reporting. False if it had ended before.
  bool End();

  const std::shared_ptr<ClientShared> shared_;
  const HttpEndpoint endpoint_;
  const std::string endpoint_key_;
  HttpRequest request_;
  const HttpCallOptions options_;
  HttpClient::ResponseCallback whole_;
  HttpStreamCallbacks stream_;
  const bool streaming_;

  std::optional<Resolver> resolver_;
  std::optional<TcpSocket> connecting_;
  std::unique_ptr<Transport> transport_;
  bool reused_ = false;
  // The pooled connection that turned out to be closed; a write on it may still be ending.
  std::unique_ptr<Transport> retired_;
  bool retired_writes_ = false;
  bool got_bytes_ = false;

  OutputQueue output_;
  bool writing_ = false;
  std::unique_ptr<char[]> chunk_;
  std::string input_;
  std::optional<ResponseParser> parser_;
  HttpResponse response_;

  bool ended_ = false;
  LazyDeadline::Time deadline_end_;
  LazyDeadline deadline_;
  bool connected_ = false;
};

}  // namespace podferry::http_internal

#endif  // PODFERRY_CORE_HTTP_CLIENT_CALL_H_
