// Requests and responses of HTTP/1.1 as plain values, for servers and clients alike. No sockets, no
// Boost. Values belong to whoever holds them; no locking.

#ifndef PODFERRY_CORE_HTTP_HTTP_MESSAGE_H_
#define PODFERRY_CORE_HTTP_HTTP_MESSAGE_H_

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace podferry {

// Header fields in the order they came. Names compare without regard to case (RFC 9110, 5.1).
class HttpHeaders {
 public:
  using Field = std::pair<std::string, std::string>;

  HttpHeaders() = default;
  HttpHeaders(std::initializer_list<Field> fields) : fields_(fields) {}

  // The first field's value, or an empty view: no header we read means something when it is empty.
  absl::string_view Get(absl::string_view name) const;
  bool Has(absl::string_view name) const;

  void Add(absl::string_view name, absl::string_view value);
  // Replaces every field of that name.
  void Set(absl::string_view name, absl::string_view value);
  void Remove(absl::string_view name);

  bool empty() const { return fields_.empty(); }
  size_t size() const { return fields_.size(); }
  std::vector<Field>::const_iterator begin() const { return fields_.begin(); }
  std::vector<Field>::const_iterator end() const { return fields_.end(); }

 private:
  std::vector<Field> fields_;
};

struct HttpRequest {
  std::string method = "GET";  // upper case as sent; methods are case-sensitive
  std::string path = "/";      // still percent-encoded, without the query
  std::string query;           // after the "?", still percent-encoded
  HttpHeaders headers;
  std::string body;  // a GET may have one: interLink's do

  // Filled by HttpRouter, percent-decoded: {"key", "a b"} for /v1/jobs/{key} and /v1/jobs/a%20b.
  std::vector<std::pair<std::string, std::string>> path_params;

  // The decoded parameter, or an empty view if the route has none of that name.
  absl::string_view PathParam(absl::string_view name) const;

  // The first query parameter of that name, decoded ("+" is a space); nullopt if there is none or
  // its encoding is broken.
  absl::optional<std::string> QueryParam(absl::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  // Content-Length, Transfer-Encoding, Connection and Date are the server's: it ignores these here.
  HttpHeaders headers;
  std::string body;

  static HttpResponse Text(int status, std::string body);
  static HttpResponse Json(int status, std::string body);
};

// "Not Found" for 404; "Unknown" for a number that is no registered status.
absl::string_view HttpReasonPhrase(int status);

// Decodes %XX. InvalidArgument for a "%" that no two hexadecimal digits follow.
absl::StatusOr<std::string> PercentDecode(absl::string_view text);

// Encodes every byte but RFC 3986's unreserved ones, so the result is safe as one path segment or
// query value.
std::string PercentEncode(absl::string_view text);

}  // namespace podferry

#endif  // PODFERRY_CORE_HTTP_HTTP_MESSAGE_H_
