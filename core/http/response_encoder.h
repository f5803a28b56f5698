// Writes the bytes of HTTP/1.1 messages. Internal to core/http; pure.

#ifndef PODFERRY_CORE_HTTP_RESPONSE_ENCODER_H_
#define PODFERRY_CORE_HTTP_RESPONSE_ENCODER_H_

#include <cstdint>
#include <ctime>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "core/http/http_message.h"

namespace podferry::http_internal {

struct ResponseFraming {
  bool http11 = true;
  bool keep_alive = true;
  bool chunked = false;  // else:
  absl::optional<uint64_t> content_length =
      0;  // nullopt: the body ends with the connection, or none
};

// Appends the status line and the header, with the blank line after it. Fields that HTTP itself
// needs come from `framing`; the like in `headers` are left out, and so is a field with a line
// break or a zero byte in it (that would let its author forge a message).
void EncodeResponseHead(int status, const HttpHeaders& headers, const ResponseFraming& framing,
                        absl::string_view date, std::string* out);

// The request line and header, for `host` ("127.0.0.1:4000").
void EncodeRequestHead(const HttpRequest& request, absl::string_view host, std::string* out);

// Appends one chunk; an empty one is nothing, as a chunk of size 0 would end the body.
void EncodeChunk(absl::string_view data, std::string* out);

inline constexpr char kLastChunk[] = "0\r\n\r\n";

// 1xx, 204 and 304 have no body, whatever their handler says.
bool StatusHasBody(int status);

// The Date header's value, formatted once per second.
class HttpDate {
 public:
  absl::string_view Now() { return At(std::time(nullptr)); }
  absl::string_view At(std::time_t seconds);

 private:
  std::time_t seconds_ = -1;
  std::string text_;
};

}  // namespace podferry::http_internal

#endif  // PODFERRY_CORE_HTTP_RESPONSE_ENCODER_H_
