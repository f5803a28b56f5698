// Where an image comes from: its name taken apart, the pool's policy applied. Pure, any thread.

#ifndef PODFERRY_CORE_TRANSLATE_IMAGE_PLANNER_H_
#define PODFERRY_CORE_TRANSLATE_IMAGE_PLANNER_H_

#include "core/pod/container.h"
#include "core/pod/field_path.h"
#include "core/pool/build_config.h"
#include "core/translate/image_plan.h"
#include "core/translate/supported_fields.h"

namespace podferry {

// The image of the container at `path`. Refuses a name that cannot be read, that images.allow and
// images.deny keep out, or that is a file of the pool outside of the folders meant for images.
PlannedImage PlanImage(const BuildConfig& config, const Container& container, const FieldPath& path,
                       FieldReport* report);

ImagePlaces PlanImagePlaces(const BuildConfig& config, const std::string& proxy_token);

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_IMAGE_PLANNER_H_
