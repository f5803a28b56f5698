// The submitter's command line. Every flag has its own environment variable (PODFERRY_POOL for
// --pool), the original's names work as well; a flag wins over both. Pure but for the environment,
// which is handed in.

#ifndef PODFERRY_SUBMITTER_OPTIONS_H_
#define PODFERRY_SUBMITTER_OPTIONS_H_

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "core/http/listen_address.h"
#include "core/pool/build_config_toml.h"
#include "submitter/announcer.h"

namespace podferry {

struct SubmitterOptions {
  std::string backend;
  std::string nats_url = "nats://127.0.0.1:4222";  // may hold a password: never to be logged
  std::string nats_creds;
  std::string nats_nkey;
  std::string nats_ca;
  std::string nats_cert;
  std::string nats_key;
  std::string nats_inbox = "_INBOX";
  std::string subject = "interlink";
  std::string pool;
  std::string shutdown_subject;  // empty: the pool's name
  int responders = 1;
  Quantities resources;      // of the flags that were given
  std::string build_config;  // empty: the defaults
  bool strict = false;       // what is unknown in it is a mistake
  std::string state;
  std::string sandboxes;
  absl::Duration poll_interval = absl::Seconds(10);
  absl::Duration fake_run_time;  // of the backend `fake`
  std::optional<ListenAddress> metrics_listen;
  std::string log_level = "info";
  bool drain = false;  // SIGTERM drains instead of leaving the jobs running
  bool check = false;
};

struct CommandLine {
  std::optional<SubmitterOptions> options;  // none: print `text` and exit with `exit_code`
  std::string text;
  int exit_code = 0;
};

// Relative paths are meant from BUILD_WORKING_DIRECTORY, where `bazel run` was called, if that is
// set.
CommandLine ParseCommandLine(int argc, const char* const* argv,
                             const EnvironmentLookup& environment);

}  // namespace podferry

#endif  // PODFERRY_SUBMITTER_OPTIONS_H_
