// Early return on errors of absl::Status and absl::StatusOr, for functions that return either.
//
//   PODFERRY_RETURN_IF_ERROR(journal.Append(record));
//   PODFERRY_ASSIGN_OR_RETURN(Pod pod, ParsePod(body));
//
// The expression is evaluated once. A declaration with a comma in its type wants parentheses around
// the type's alias, as with every macro.

#ifndef PODFERRY_CORE_BASE_STATUS_MACROS_H_
#define PODFERRY_CORE_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define PODFERRY_RETURN_IF_ERROR(expression)                               \
  do {                                                                     \
    absl::Status podferry_status = (expression);                           \
    if (ABSL_PREDICT_FALSE(!podferry_status.ok())) return podferry_status; \
  } while (false)

#define PODFERRY_ASSIGN_OR_RETURN(declaration, expression)                                      \
  PODFERRY_ASSIGN_OR_RETURN_IMPL_(PODFERRY_CONCAT_(podferry_status_or_, __LINE__), declaration, \
                                  expression)

#define PODFERRY_ASSIGN_OR_RETURN_IMPL_(result, declaration, expression)   \
  auto result = (expression);                                              \
  if (ABSL_PREDICT_FALSE(!result.ok())) return std::move(result).status(); \
  declaration = *std::move(result)

#define PODFERRY_CONCAT_(a, b) PODFERRY_CONCAT_IMPL_(a, b)
#define PODFERRY_CONCAT_IMPL_(a, b) a##b

#endif  // PODFERRY_CORE_BASE_STATUS_MACROS_H_
