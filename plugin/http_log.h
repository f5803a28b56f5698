// A container's log as an HTTP answer: headers at once when it is followed, the body as it comes,
// no pulling for a client that has gone. Event loop's thread only.

#ifndef PODFERRY_PLUGIN_HTTP_LOG_H_
#define PODFERRY_PLUGIN_HTTP_LOG_H_

#include "absl/strings/string_view.h"
#include "core/http/response_writer.h"
#include "core/job/log_options.h"
#include "core/os/event_loop.h"
#include "plugin/log_relay.h"

namespace podferry {

// Answers with the log, or with 404 if there is no such job or container. `loop` and `relay`
// outlive the connection.
void AnswerWithLog(EventLoop& loop, LogRelay& relay, absl::string_view uid, LogOptions options,
                   ResponseWriter writer);

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_HTTP_LOG_H_
