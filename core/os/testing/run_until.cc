#include "core/os/testing/run_until.h"

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <utility>

namespace podferry {

bool RunUntil(AsioEventLoop& loop, absl::FunctionRef<bool()> condition, absl::Duration timeout) {
  const auto deadline = std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(timeout);
  boost::asio::io_context& context = loop.context();
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    if (context.stopped()) context.restart();
    context.run_one_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace podferry
