// Counts and times the requests that a router serves, around its handlers, which know nothing of
// it:
//
//   podferry_http_requests_total{method,route,code}  answers; a client that went away first is 499
//   podferry_http_request_seconds{method,route}      from the whole request to the answer's header
//   podferry_http_requests_in_flight                 requests whose answer is not complete
//
// `route` is the pattern ("/v1/jobs/{key}"), never the path, so that clients cannot make up series;
// what no route serves is "none" with the method "other".

#ifndef PODFERRY_CORE_HTTP_INSTRUMENTED_HANDLER_H_
#define PODFERRY_CORE_HTTP_INSTRUMENTED_HANDLER_H_

#include "core/base/clock.h"
#include "core/http/response_writer.h"
#include "core/http/router.h"
#include "core/metrics/metrics.h"

namespace podferry {

// A handler for a server; all three arguments outlive it, and the requests it has begun.
HttpHandler InstrumentedHandler(HttpRouter& router, const Clock& clock, Registry& registry);

}  // namespace podferry

#endif  // PODFERRY_CORE_HTTP_INSTRUMENTED_HANDLER_H_
