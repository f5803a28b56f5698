// A JSON text, parsed and checked (RFC 8259), and the owner of all that its Values point to.
// Stricter than the RFC in what it leaves open: a name that appears twice in one object is an error
// (some readers take the first, others the last: what one checks, the other runs), and so is text
// that is not UTF-8 or escapes half a surrogate pair. Movable; one thread at a time.

#ifndef PODFERRY_CORE_JSON_DOCUMENT_H_
#define PODFERRY_CORE_JSON_DOCUMENT_H_

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/base/issues.h"
#include "core/json/value.h"

namespace podferry::json {

struct ParseOptions {
  // Nesting of arrays and objects. A pod nests about 12 deep.
  int max_depth = 64;
  size_t max_bytes = size_t{64} << 20;
};

class Document {
 public:
  // `text` is copied. Errors:
  //   INVALID_ARGUMENT    malformed or too deep: "line 3, column 14 (offset 57): want a value"
  //   RESOURCE_EXHAUSTED  longer than max_bytes
  // The message never quotes the text, which may hold secrets, except for a name that is doubled.
  static absl::StatusOr<Document> Parse(absl::string_view text, const ParseOptions& options = {});

  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;
  ~Document();

  // The document's one value. Issues of it and all values reached from it go to `issues`, which
  // must outlive them; null drops them.
  Value Root(Issues* issues) const;

 private:
  struct Impl;
  explicit Document(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace podferry::json

#endif  // PODFERRY_CORE_JSON_DOCUMENT_H_
