// A submitter's answer to P.sync: all that it answers for, of one origin, in pages that fit into a
// message. Pure.

#ifndef PODFERRY_SUBMITTER_SNAPSHOT_H_
#define PODFERRY_SUBMITTER_SNAPSHOT_H_

#include <cstddef>
#include <cstdint>

#include "core/wire/messages.h"
#include "submitter/records.h"

namespace podferry {

// The page that `request` asks for, of about `max_bytes` at most. Its token says where the next one
// begins and which delta the first one was taken after: every page says the same number, so that
// nothing is lost of what changes while they are fetched. A token that is none of ours begins anew.
SyncReply SnapshotPage(const Records& records, const SyncRequest& request, uint64_t last_number,
                       size_t max_bytes);

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_SNAPSHOT_H_
