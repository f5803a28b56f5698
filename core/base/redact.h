// Keeps credentials out of logs and error texts.

#ifndef PODFERRY_CORE_BASE_REDACT_H_
#define PODFERRY_CORE_BASE_REDACT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace podferry {

// `text` with what stands before the '@' of every URL in it replaced: "nats://me:pw@host" becomes
// "nats://***@host". Text may be one URL, a list, or a sentence with URLs in it.
//
// It errs on the side of hiding: passwords with '/', '?' or '@' in them, which a URL may not have
// but people write, are hidden as well, at the price of a host that a later '@' in the path hides.
std::string RedactUrls(absl::string_view text);

}  // namespace podferry

#endif  // PODFERRY_CORE_BASE_REDACT_H_
