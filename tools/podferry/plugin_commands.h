#ifndef PODFERRY_TOOLS_PODFERRY_PLUGIN_COMMANDS_H_
#define PODFERRY_TOOLS_PODFERRY_PLUGIN_COMMANDS_H_

#include <cstdint>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "tools/podferry/plugin_client.h"

// The commands that ask a plugin (its cli_api.h). A job is named by its UID, its name, or
// "namespace/name". Errors are the plugin's own words; NotFound and InvalidArgument are the user's
// to mend.
namespace podferry {

absl::Status PoolsCommand(PluginClient& plugin, bool json, std::ostream& out);
absl::Status JobsCommand(PluginClient& plugin, bool json, std::ostream& out);
absl::Status TraceCommand(PluginClient& plugin, const std::string& job, bool json,
                          std::ostream& out);
absl::Status BundleCommand(PluginClient& plugin, const std::string& job, std::ostream& out,
                           std::ostream& err);
absl::Status DeleteCommand(PluginClient& plugin, const std::string& job, std::ostream& out);
absl::Status ForgetPoolCommand(PluginClient& plugin, const std::string& pool, std::ostream& out);

struct LogsOptions {
  std::string job;
  std::string container;  // empty: the first that is no init container
  bool follow = false;
  bool previous = false;
  bool timestamps = false;
  int64_t tail = -1;           // lines; -1: all
  int64_t since_seconds = -1;  // -1: from the start
};
absl::Status LogsCommand(PluginClient& plugin, const LogsOptions& options, std::ostream& out);

struct SubmitOptions {
  std::string manifest;  // the text of the file
  std::string pool;
  bool detach = false;  // only send it
};
// Sends the pod; then, unless detached, says on `err` how it goes and prints its log to `out` as it
// comes. `exit_code` is 0 for a pod that succeeded, else the code of the first container that
// failed.
absl::Status SubmitCommand(PluginClient& plugin, const SubmitOptions& options, std::ostream& out,
                           std::ostream& err, int* exit_code);

}  // namespace podferry

#endif  // PODFERRY_TOOLS_PODFERRY_PLUGIN_COMMANDS_H_
