// Keeps callbacks from reaching an object that has been destroyed: the loop, the store and the bus
// outlive the daemon's parts. A member of the object, destroyed with it; loop thread only.

#ifndef PODFERRY_SUBMITTER_LIFETIME_H_
#define PODFERRY_SUBMITTER_LIFETIME_H_

#include <memory>
#include <utility>

namespace podferry {

class Lifetime {
 public:
  // `function`, but doing nothing once this has ended.
  template <typename Function>
  auto Bind(Function function) const {
    return [alive = std::weak_ptr<bool>(alive_),
            function = std::move(function)](auto&&... arguments) mutable {
      if (!alive.expired()) function(std::forward<decltype(arguments)>(arguments)...);
    };
  }

 private:
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_LIFETIME_H_
