#include "core/http/lazy_deadline.h"

namespace podferry::http_internal {

LazyDeadline::LazyDeadline(boost::asio::io_context& context, absl::AnyInvocable<void()> on_passed)
    : state_(std::make_shared<State>(context, std::move(on_passed))) {}

LazyDeadline::~LazyDeadline() {
  state_->alive = false;
  state_->timer.cancel();
}

void LazyDeadline::Set(Time deadline) {
  state_->deadline = deadline;
  if (deadline < state_->armed_for) Arm(state_);
}

LazyDeadline::Time LazyDeadline::After(absl::Duration delay) {
  if (delay > absl::Hours(24 * 365)) return Time::max();
  return Clock::now() + absl::ToChronoNanoseconds(delay);
}

void LazyDeadline::Arm(const std::shared_ptr<State>& state) {
  state->armed_for = state->deadline;
  state->timer.expires_at(state->deadline);  // ends a wait that runs
  state->timer.async_wait([state](boost::system::error_code error) {
    if (error || !state->alive) return;
    state->armed_for = Time::max();
    if (state->deadline == Time::max()) return;
    if (Clock::now() < state->deadline) return Arm(state);
    state->deadline = Time::max();
    state->on_passed();
  });
}

}  // namespace podferry::http_internal
