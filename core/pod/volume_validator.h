// The part of the pod validator that looks at volumes and at the data that came for them.

#ifndef PODFERRY_CORE_POD_VOLUME_VALIDATOR_H_
#define PODFERRY_CORE_POD_VOLUME_VALIDATOR_H_

#include "core/base/issues.h"
#include "core/pod/field_path.h"
#include "core/pod/retrieved_pod.h"
#include "core/pod/volume.h"

namespace podferry {

void ValidateVolume(const Volume& volume, const FieldPath& path, Issues* issues);

// That a ConfigMap or Secret volume has come with the keys it names, unless it is optional. Asks
// only for volumes that some container mounts: interLink sends no others.
void ValidateVolumeData(const Volume& volume, const RetrievedPod& pod, const FieldPath& path,
                        Issues* issues);

}  // namespace podferry

#endif  // PODFERRY_CORE_POD_VOLUME_VALIDATOR_H_
