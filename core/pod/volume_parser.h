// The part of the pod parser that reads v1.Volume.

#ifndef PODFERRY_CORE_POD_VOLUME_PARSER_H_
#define PODFERRY_CORE_POD_VOLUME_PARSER_H_

#include "core/json/value.h"
#include "core/pod/volume.h"

namespace podferry::pod_json {

void ReadVolume(const json::Value& value, Volume& volume);

}  // namespace podferry::pod_json

#endif  // PODFERRY_CORE_POD_VOLUME_PARSER_H_
