// NATS' NKeys: Ed25519 keys as base32 text. A server knows a user by the public one; a user keeps
// the seed in a file. Pure, any thread. Source: NATS' documentation of NKeys (prefix bytes,
// CRC-16).

#ifndef PODFERRY_CORE_NATS_NKEY_H_
#define PODFERRY_CORE_NATS_NKEY_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace podferry {

// The public key ("U...") of a user's seed ("SU..."). Text around the seed, as in files with
// "BEGIN" lines, is skipped. InvalidArgument, without the text, for what is no user's seed.
absl::StatusOr<std::string> PublicNkeyOfSeed(absl::string_view text);

}  // namespace podferry

#endif  // PODFERRY_CORE_NATS_NKEY_H_
