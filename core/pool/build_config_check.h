// What TOML's types cannot say about a BuildConfig: quantities, labels, taints. Pure; any thread.

#ifndef PODFERRY_CORE_POOL_BUILD_CONFIG_CHECK_H_
#define PODFERRY_CORE_POOL_BUILD_CONFIG_CHECK_H_

#include "core/base/issues.h"
#include "core/pool/build_config.h"

namespace podferry {

void CheckBuildConfig(const BuildConfig& config, Issues* issues);

}  // namespace podferry

#endif  // PODFERRY_CORE_POOL_BUILD_CONFIG_CHECK_H_
