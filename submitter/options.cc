#include "submitter/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "core/base/excerpt.h"
#include "core/base/redact.h"
#include "core/base/status_macros.h"
#include "core/base/version.h"
#include "core/pool/build_config.h"
#include "core/quantity/quantity.h"
#include "core/wire/subjects.h"
#include "submitter/backend/factory.h"

namespace podferry {
namespace {

constexpr size_t kLongestPool = 63;  // a Kubernetes label value

// As they are written on the command line.
struct Texts {
  SubmitterOptions options;
  std::string cpu, memory, pods, gpus;
  std::string poll_interval = "10s";
  std::string fake_run_time = "0";
  std::string metrics_listen;
  std::string timeout;  // accepted for the original's sake
  bool generate_config = false;
  bool verbose = false;
  bool version = false;
  bool ignored = false;
};

struct Fallback {
  const char* flag;
  const char* original;  // the original's variable
};
constexpr Fallback kOriginals[] = {
    {"--nats", "NATS_SERVER"}, {"--subject", "NATS_SUBJECT"}, {"--verbose", "DEBUG"}};

void AddConnectionFlags(CLI::App& app, Texts& texts) {
  SubmitterOptions& o = texts.options;
  app.add_option("--nats,-s,--server", o.nats_url, "nats://, tls://, ws:// or wss:// URL of NATS");
  app.add_option("--nats-creds", o.nats_creds, "credentials file for NATS");
  app.add_option("--nats-nkey", o.nats_nkey, "file with the seed of an NKey");
  app.add_option("--nats-ca", o.nats_ca, "PEM file of the authority that signed NATS' certificate");
  app.add_option("--nats-cert", o.nats_cert, "PEM file of our certificate for NATS");
  app.add_option("--nats-key", o.nats_key, "PEM file of its key");
  app.add_option("--nats-inbox", o.nats_inbox,
                 "where answers come to, for users who may not subscribe to all of _INBOX.>")
      ->capture_default_str();
  app.add_option("--subject,-k", o.subject, "prefix of all NATS subjects")->capture_default_str();
  app.add_option("--timeout", texts.timeout, "ignored")->group("")->envname("NATS_TIMEOUT_SECONDS");
}

void AddPoolFlags(CLI::App& app, Texts& texts) {
  SubmitterOptions& o = texts.options;
  app.add_option("--pool,-q,--queue", o.pool, "name of the pool that this submitter serves");
  app.add_option("--cpu", texts.cpu, "cores of the pool (default: the backend's)");
  app.add_option("--memory", texts.memory, "memory of the pool, such as 64Gi");
  app.add_option("--pods", texts.pods,
                 "how many pods the pool announces; it does not hold back more");
  app.add_option("--gpus", texts.gpus, "GPUs of the pool (nvidia.com/gpu)");
  app.add_option("--responders", o.responders,
                 "how often to stand in the pool's queue: the share of its jobs, compared with "
                 "other submitters of the pool")
      ->capture_default_str();
  app.add_option(
      "--build-config,-f", o.build_config,
      absl::StrCat("TOML file that shapes the pool's jobs (default: ", kDefaultBuildConfigPath,
                   ", if it is there; else pods run without images, as host)"));
  app.add_flag("--strict", o.strict, "unknown sections and keys of it are mistakes, not warnings");
  app.add_option("--shutdown-subject", o.shutdown_subject,
                 "drain when told so on <subject>.shutdown.<this> (default: the pool's name)");
}

void AddOtherFlags(CLI::App& app, Texts& texts) {
  SubmitterOptions& o = texts.options;
  app.add_option("--state", o.state, "folder that keeps what must survive a restart (required)");
  app.add_option("--sandboxes", o.sandboxes,
                 "folder for the jobs' files (default: sandboxes in --state)");
  app.add_option("--poll-interval", texts.poll_interval, "how often a batch system is asked")
      ->capture_default_str();
  app.add_option("--metrics-listen", texts.metrics_listen,
                 "ADDRESS:PORT or unix:/path for /healthz and /metrics");
  app.add_option("--log-level", o.log_level, "debug, info, warning or error")
      ->capture_default_str();
  app.add_option("--fake-run-time", texts.fake_run_time, "")->group("");
  app.add_flag("--drain", o.drain, "on SIGTERM take no more jobs and wait for the end of all");
  app.add_flag("--generate-config", texts.generate_config, "print a BuildConfig with every key");
  app.add_flag("--check", o.check, "say whether the backend can be used, and exit");
  app.add_flag("--verbose,-v", texts.verbose, "the same as --log-level debug");
  app.add_flag("--non-interactive,-b", texts.ignored, "ignored: the submitter never asks");
  app.add_flag("--version", texts.version, "print the version");
}

// "--nats-creds" -> "PODFERRY_NATS_CREDS"
std::string VariableOf(absl::string_view flag) {
  absl::ConsumePrefix(&flag, "--");
  return absl::StrCat("PODFERRY_", absl::StrReplaceAll(absl::AsciiStrToUpper(flag), {{"-", "_"}}));
}

// Values from the environment for flags that were not given.
void ApplyEnvironment(CLI::App& app, const EnvironmentLookup& environment) {
  for (CLI::Option* option : app.get_options()) {
    if (option->count() > 0 || option->get_lnames().empty()) continue;
    const std::string flag = absl::StrCat("--", option->get_lnames().front());
    std::optional<std::string> value = environment(VariableOf(flag));
    for (const Fallback& fallback : kOriginals) {
      if (!value.has_value() && flag == fallback.flag) value = environment(fallback.original);
    }
    if (!value.has_value() || value->empty()) continue;
    option->clear();
    option->add_result(*value);
    option->run_callback();
  }
}

std::string Absolute(const std::string& path, const std::optional<std::string>& base) {
  if (path.empty() || path[0] == '/' || !base.has_value()) return path;
  return absl::StrCat(*base, "/", path);
}

absl::Status ReadDuration(absl::string_view flag, const std::string& text,
                          absl::Duration* duration) {
  if (absl::ParseDuration(text, duration) && *duration >= absl::ZeroDuration()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(flag, ": want a duration such as 10s, got ", QuotedExcerpt(text)));
}

void ReadResources(const Texts& texts, Quantities& resources,
                   const std::function<void(const absl::Status&)>& check) {
  const std::pair<const char*, const std::string*> flags[] = {
      {"cpu", &texts.cpu}, {"memory", &texts.memory}, {"pods", &texts.pods}, {"gpus", &texts.gpus}};
  for (const auto& [name, text] : flags) {
    if (text->empty()) continue;
    const absl::StatusOr<Quantity> quantity = Quantity::Parse(*text);
    if (!quantity.ok() || quantity->IsNegative()) {
      check(absl::InvalidArgumentError(absl::StrCat(
          "--", name, ": want a quantity such as 4, 500m or 8Gi, got ", QuotedExcerpt(*text))));
      continue;
    }
    // No GPUs is what a pool has that says nothing.
    if (std::string(name) == "gpus" && quantity->IsZero()) continue;
    resources[name] = quantity->ToString();
  }
}

absl::Status CheckPool(const SubmitterOptions& options) {
  if (options.pool.empty()) {
    return absl::InvalidArgumentError("--pool is missing: the name of the pool to serve");
  }
  const bool good = options.pool.size() <= kLongestPool &&
                    std::all_of(options.pool.begin(), options.pool.end(),
                                [](unsigned char c) {
                                  return absl::ascii_isalnum(c) || c == '-' || c == '_' || c == '.';
                                }) &&
                    absl::ascii_isalnum(static_cast<unsigned char>(options.pool.front())) &&
                    absl::ascii_isalnum(static_cast<unsigned char>(options.pool.back()));
  if (good) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--pool: want a Kubernetes label value: at most 63 letters, digits, '-', '_' and '.', a "
      "letter or digit at both ends");
}

absl::Status CheckBackend(const SubmitterOptions& options) {
  std::vector<std::string> names = BackendNames();
  if (options.backend == "fake" ||
      std::find(names.begin(), names.end(), options.backend) != names.end()) {
    return absl::OkStatus();
  }
  if (options.backend.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the backend is missing; this version has: ", absl::StrJoin(names, ", ")));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(QuotedExcerpt(options.backend),
                   " is no backend of this version; it has: ", absl::StrJoin(names, ", ")));
}

absl::Status CheckLogLevel(const SubmitterOptions& options) {
  const std::vector<std::string> levels = {"debug", "info", "warning", "error"};
  if (std::find(levels.begin(), levels.end(), options.log_level) != levels.end()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("--log-level: want one of ",
                                                 absl::StrJoin(levels, ", "), ", got ",
                                                 QuotedExcerpt(options.log_level)));
}

absl::Status ReadMetricsListen(std::string address, const std::optional<std::string>& base,
                               SubmitterOptions& options) {
  if (address.empty()) return absl::OkStatus();
  absl::string_view path = address;
  if (absl::ConsumePrefix(&path, "unix:")) {
    address = absl::StrCat("unix:", Absolute(std::string(path), base));
  }
  PODFERRY_ASSIGN_OR_RETURN(options.metrics_listen, ParseListenAddress(address));
  return absl::OkStatus();
}

// What is wrong goes to `problems`, all of it.
SubmitterOptions Read(const Texts& texts, const std::optional<std::string>& base,
                      std::vector<std::string>* problems) {
  SubmitterOptions options = texts.options;
  const auto check = [&](const absl::Status& status) {
    if (!status.ok()) problems->push_back(std::string(status.message()));
  };
  check(CheckBackend(options));
  check(CheckPool(options));
  check(wire::Subjects::CheckPrefix(options.subject));
  ReadResources(texts, options.resources, check);
  check(ReadDuration("--poll-interval", texts.poll_interval, &options.poll_interval));
  check(ReadDuration("--fake-run-time", texts.fake_run_time, &options.fake_run_time));
  if (options.state.empty()) {
    problems->push_back("--state is missing: the folder that keeps what must survive a restart");
  }
  if (options.responders < 1 || options.responders > 64) {
    problems->push_back(absl::StrCat("--responders: want 1 to 64, got ", options.responders));
  }
  if (options.sandboxes.empty()) options.sandboxes = options.state + "/sandboxes";
  for (std::string* path :
       {&options.state, &options.sandboxes, &options.build_config, &options.nats_creds,
        &options.nats_nkey, &options.nats_ca, &options.nats_cert, &options.nats_key}) {
    *path = Absolute(*path, base);
  }
  check(ReadMetricsListen(texts.metrics_listen, base, options));
  if (texts.verbose) options.log_level = "debug";
  check(CheckLogLevel(options));
  return options;
}

}  // namespace

CommandLine ParseCommandLine(int argc, const char* const* argv,
                             const EnvironmentLookup& environment) {
  CLI::App app("The submitter of podferry: takes jobs for a pool from NATS and runs them.",
               "submitter");
  Texts texts;
  app.add_option("backend", texts.options.backend,
                 absl::StrCat("what runs the jobs: ", absl::StrJoin(BackendNames(), ", ")));
  AddConnectionFlags(app, texts);
  AddPoolFlags(app, texts);
  AddOtherFlags(app, texts);
  try {
    app.parse(argc, argv);
    ApplyEnvironment(app, environment);
  } catch (const CLI::CallForHelp&) {
    return {std::nullopt, app.help(), 0};
  } catch (const CLI::ParseError& error) {
    return {std::nullopt, absl::StrCat("submitter: ", RedactUrls(error.what()), "\nTry --help.\n"),
            2};
  }
  if (texts.version) {
    return {std::nullopt, absl::StrCat("podferry submitter ", kPodferryVersion, "\n"), 0};
  }
  if (texts.generate_config) return {std::nullopt, GenerateBuildConfig(), 0};
  std::vector<std::string> problems;
  SubmitterOptions options = Read(texts, environment("BUILD_WORKING_DIRECTORY"), &problems);
  if (!problems.empty()) {
    return {std::nullopt,
            RedactUrls(absl::StrCat("submitter: ", absl::StrJoin(problems, "\nsubmitter: "), "\n")),
            2};
  }
  return {std::move(options), "", 0};
}

}  // namespace podferry
