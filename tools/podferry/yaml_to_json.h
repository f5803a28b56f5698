#ifndef PODFERRY_TOOLS_PODFERRY_YAML_TO_JSON_H_
#define PODFERRY_TOOLS_PODFERRY_YAML_TO_JSON_H_

#include <string>

namespace YAML {
class Node;
}

namespace podferry {

// A YAML value as JSON text. Plain scalars get the type that kubectl gives them: null, true and
// false, integers (0644 and 0o644 are octal, as for file modes), numbers; all others, and all
// quoted ones, are strings.
std::string YamlToJson(const YAML::Node& node);

}  // namespace podferry

#endif  // PODFERRY_TOOLS_PODFERRY_YAML_TO_JSON_H_
