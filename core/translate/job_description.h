#ifndef PODFERRY_CORE_TRANSLATE_JOB_DESCRIPTION_H_
#define PODFERRY_CORE_TRANSLATE_JOB_DESCRIPTION_H_

#include "absl/strings/string_view.h"
#include "core/job/job_key.h"
#include "core/job/job_request.h"
#include "core/pod/pod.h"

namespace podferry {

// What a submitter must know of the pod beside the script: the description alone, which no pool's
// BuildConfig changes. Pure, any thread.
JobDescription DescribeJob(const Pod& pod, const JobKey& key, absl::string_view pool);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_JOB_DESCRIPTION_H_
