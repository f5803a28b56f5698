// $(VAR) in a container's command, args and env values, as Kubernetes expands it
// (k8s.io/kubernetes/third_party/forked/golang/expansion): $(NAME) becomes the variable's value,
// $$ becomes $ and so keeps what follows it ("$$(NAME)" gives "$(NAME)"), and a reference to a
// variable that is not known, or one that is not closed, stays as it is. Values are not expanded
// again. Pure, any thread.

#ifndef PODFERRY_CORE_POD_EXPANSION_H_
#define PODFERRY_CORE_POD_EXPANSION_H_

#include <functional>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace podferry {

// The value of a variable; nothing where it is not known.
using VariableLookup = std::function<std::optional<std::string>(absl::string_view name)>;

std::string ExpandVariables(absl::string_view text, const VariableLookup& lookup);

}  // namespace podferry

#endif  // PODFERRY_CORE_POD_EXPANSION_H_
