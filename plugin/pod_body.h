// The two ways in which a pod comes to the plugin: interLink's request (AdmitPod of core/pod), and
// the command line's, of the same form but without what a cluster fills in. Bodies are stored as
// they came and read again when the job is dispatched. Pure functions; any thread. A body is
// secret: nothing of it gets into messages but field names.

#ifndef PODFERRY_PLUGIN_POD_BODY_H_
#define PODFERRY_PLUGIN_POD_BODY_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/base/issues.h"
#include "core/pod/retrieved_pod.h"
#include "plugin/job_record.h"

namespace podferry {

// {"pod": a v1.Pod as a user writes it, "container": the data of its volumes}, for `pool`. What a
// cluster would have filled in is: the namespace ("default"), a name from generateName, the UID,
// the toleration. Paths are the manifest's own: "spec.containers[0].image".
absl::StatusOr<RetrievedPod> AdmitManifest(absl::string_view json, absl::string_view pool,
                                           absl::string_view uid, Issues* issues);

// A body that was admitted, from the store. DATA_LOSS if it cannot be read any more.
absl::StatusOr<RetrievedPod> ReadStoredBody(absl::string_view body, JobSource source,
                                            const JobDescription& job);

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_POD_BODY_H_
