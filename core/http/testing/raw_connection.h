// A peer that speaks bytes, not HTTP: for tests of what well-behaved clients and servers never do.
// Everything runs on the test's thread; while a call waits, it runs the event loop, on which the
// other side lives.

#ifndef PODFERRY_CORE_HTTP_TESTING_RAW_CONNECTION_H_
#define PODFERRY_CORE_HTTP_TESTING_RAW_CONNECTION_H_

#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "core/http/listen_address.h"
#include "core/os/asio_event_loop.h"

namespace podferry {

class RawConnection {
 public:
  // Connects; aborts the test program if nobody listens.
  RawConnection(AsioEventLoop& loop, const ListenAddress& address);
  RawConnection(RawConnection&& other) noexcept
      : loop_(other.loop_), fd_(std::exchange(other.fd_, -1)), input_(std::move(other.input_)) {}
  ~RawConnection() { Close(); }

  // False if the peer has closed, or takes nothing for a long time.
  bool Send(absl::string_view bytes);
  // What the kernel takes at once; how much that was.
  size_t SendSome(absl::string_view bytes);

  // Whether something (or the end) can be read now.
  bool HasInput() const;

  // Everything up to and including `end`; what came instead if the connection ends before.
  std::string ReadUntil(absl::string_view end);
  std::string ReadBytes(size_t count);
  std::string ReadToEnd();
  // One response with a Content-Length (or none): header and body.
  std::string ReadResponse();

  void CloseSendingSide();
  void Close();
  // Closes with a TCP reset.
  void Reset();

 private:
  friend class RawServer;
  RawConnection(AsioEventLoop& loop, int fd);
  // False at the connection's end.
  bool ReadMore();

  AsioEventLoop& loop_;
  int fd_;
  std::string input_;
};

// Listens on a free loopback port; the test plays the server.
class RawServer {
 public:
  explicit RawServer(AsioEventLoop& loop);
  ~RawServer();
  RawServer(const RawServer&) = delete;

  std::string url() const;
  // The next connection.
  RawConnection Accept();
  // Whether a connection waits to be accepted.
  bool HasConnection() const;

 private:
  AsioEventLoop& loop_;
  int fd_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_HTTP_TESTING_RAW_CONNECTION_H_
