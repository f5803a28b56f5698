// A volume that is a folder or a file of the pool's own. A value.

#ifndef PODFERRY_CORE_TRANSLATE_POOL_FOLDER_H_
#define PODFERRY_CORE_TRANSLATE_POOL_FOLDER_H_

#include <string>

namespace podferry {

struct PoolFolder {
  // Absolute, of the operator's making: links in it are followed.
  std::string base;
  // Below it, of the pod's: no link on the way may lead out of the base. "" is the base itself.
  std::string rest;
  bool has_links = true;  // else there may be none at all
  // What must be there, in the words of hostPath.type; "" is anything, "Make" makes a folder that
  // only the pool's user may enter.
  std::string type;
  bool read_only = false;

  std::string Path() const { return rest.empty() ? base : base + "/" + rest; }
};

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_POOL_FOLDER_H_
