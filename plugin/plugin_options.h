// The plugin's command line. Every flag has its own environment variable (PODFERRY_NATS for
// --nats), the original's names work as well; a flag wins over both. Pure but for the environment,
// which is handed in.

#ifndef PODFERRY_PLUGIN_PLUGIN_OPTIONS_H_
#define PODFERRY_PLUGIN_PLUGIN_OPTIONS_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "core/http/http_server_options.h"
#include "core/http/listen_address.h"
#include "core/nats/nats_options.h"

namespace podferry {

struct PluginOptions {
  NatsOptions nats;
  std::string subject = "interlink";
  std::vector<ListenAddress> listen;
  std::optional<ListenAddress> metrics_listen;
  std::optional<HttpServerTls> tls;
  std::string state;
  std::string origin;
  std::string shub_proxy;             // the only registry proxy that gets the token; empty: any
  std::string shub_proxy_token_file;  // holds the master token
  std::string shub_proxy_token;       // the token itself, of the environment: secret
  absl::Duration grace = absl::Minutes(15);
  bool pause_dispatch = false;
  bool verbose = false;
};

using Environment = std::function<std::optional<std::string>(const std::string& name)>;

struct CommandLine {
  std::optional<PluginOptions> options;  // none: print `text` and exit with `exit_code`
  std::string text;
  int exit_code = 0;
};

// Relative paths are meant from BUILD_WORKING_DIRECTORY, where `bazel run` was called, if that is
// set.
CommandLine ParseCommandLine(int argc, const char* const* argv, const Environment& environment);

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_PLUGIN_OPTIONS_H_
