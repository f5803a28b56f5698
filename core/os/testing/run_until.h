// Runs a real event loop on the test's thread until something has happened.

#ifndef PODFERRY_CORE_OS_TESTING_RUN_UNTIL_H_
#define PODFERRY_CORE_OS_TESTING_RUN_UNTIL_H_

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "core/os/asio_event_loop.h"

namespace podferry {

// Whether `condition` held within `timeout`; it is looked at after each task, and every 10 ms.
bool RunUntil(AsioEventLoop& loop, absl::FunctionRef<bool()> condition,
              absl::Duration timeout = absl::Seconds(30));

}  // namespace podferry

#endif  // PODFERRY_CORE_OS_TESTING_RUN_UNTIL_H_
