// The data behind the end of a script: files too large, or too binary, to stand in its text. Bash
// never reads them; the script cuts them out by their distance from its end, so that whoever
// submits it may put lines before it. Owned by one rendering.

#ifndef PODFERRY_CORE_TRANSLATE_SCRIPT_PAYLOAD_H_
#define PODFERRY_CORE_TRANSLATE_SCRIPT_PAYLOAD_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace podferry {

class ScriptPayload {
 public:
  // The content's number in the payload; the same content is kept once. Must outlive this object.
  int Add(absl::string_view content);

  struct Entry {
    size_t from_end;     // where its bytes begin, counted from the end of the script
    size_t size;         // of its bytes in the script
    bool is_base64;      // else they are the content itself
    std::string sha256;  // of the content
  };
  std::vector<Entry> Entries() const;

  bool empty() const { return blocks_.empty(); }
  void AppendTo(std::string* script) const;

 private:
  struct Block {
    absl::string_view content;
    std::string base64;  // "" when the content stands as it is
    absl::string_view Bytes() const { return base64.empty() ? content : base64; }
  };
  std::vector<Block> blocks_;
  absl::flat_hash_map<absl::string_view, int> numbers_;
};

// Whether the bytes may stand in a script as they are: UTF-8 without control characters but tab and
// line feed. (Batch systems refuse NUL and carriage returns.)
bool IsScriptText(absl::string_view bytes);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_SCRIPT_PAYLOAD_H_
