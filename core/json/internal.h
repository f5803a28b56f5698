// What document.cc and value.cc share: the only two files that see RapidJSON.

#ifndef PODFERRY_CORE_JSON_INTERNAL_H_
#define PODFERRY_CORE_JSON_INTERNAL_H_

#ifdef __SSE2__
#define RAPIDJSON_SSE2
#endif
#include <rapidjson/document.h>

#include <cstddef>
#include <deque>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "core/base/issues.h"
#include "core/json/value.h"

namespace podferry::json {

using Node = rapidjson::Value;

// Steps are never freed one by one; they go with the document. A step with a null parent is the
// root.
struct Value::Step {
  const Step* parent = nullptr;
  absl::string_view key;  // Of a member; its data is null for an element of an array.
  size_t index = 0;       // Of an element.
  bool muted = false;     // Something above has been reported: report nothing here.
};

struct Value::Context {
  Issues* issues = nullptr;
  std::deque<Step> steps;
  std::deque<std::string> keys;  // Of absent members, whose names are the caller's.
  // Nodes whose type has been reported.
  absl::flat_hash_set<const void*> reported;

  const Step* NewStep(const Step& step) { return &steps.emplace_back(step); }
};

}  // namespace podferry::json

#endif  // PODFERRY_CORE_JSON_INTERNAL_H_
