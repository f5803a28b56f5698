// How an error leaves a daemon over HTTP: the one table from absl::StatusCode to HTTP status, and
// the one form of the body: {"error": "...", "issues": [{"field": "...", "message": "..."}]}, where
// "issues" is left out if there are none. Pure.

#ifndef PODFERRY_CORE_HTTP_JSON_ERROR_H_
#define PODFERRY_CORE_HTTP_JSON_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/base/issues.h"
#include "core/http/http_message.h"

namespace podferry {

// 400 for kInvalidArgument, 404 for kNotFound, 503 for kUnavailable...; 500 for what has no better.
int HttpStatusOf(absl::StatusCode code);

// The nearest way back, for clients; kOk for 2xx, kUnknown for 1xx and 3xx.
absl::StatusCode StatusCodeOfHttp(int http_status);

HttpResponse JsonError(int http_status, absl::string_view message);
HttpResponse JsonError(const absl::Status& status);  // not OK

// 400, or what else the caller gives, with every issue.
HttpResponse JsonError(absl::string_view message, const Issues& issues, int http_status = 400);

// What a client makes of an answer that is not 2xx: the code by StatusCodeOfHttp, the message from
// the body's "error" if it has this form, otherwise the body's beginning.
absl::Status StatusOfResponse(const HttpResponse& response);

}  // namespace podferry

#endif  // PODFERRY_CORE_HTTP_JSON_ERROR_H_
