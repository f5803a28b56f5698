#include "plugin/plugin_options.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "core/base/redact.h"
#include "core/base/status_macros.h"
#include "core/base/version.h"
#include "core/job/job_key.h"
#include "core/wire/subjects.h"

namespace podferry {
namespace {

// As they are written on the command line.
struct Texts {
  PluginOptions options;
  std::vector<std::string> listen = {"127.0.0.1:4000"};
  std::string metrics_listen;
  std::string grace = "15m";
  std::string tls_cert;
  std::string tls_key;
  std::string tls_client_ca;
  std::string timeout;  // accepted for the original's sake
  bool insecure_listen = false;
  bool version = false;
  bool ignored = false;
};

struct Fallback {
  const char* flag;
  const char* original;  // the original's variable
};
constexpr Fallback kOriginals[] = {{"--nats", "NATS_SERVER"},
                                   {"--subject", "NATS_SUBJECT"},
                                   {"--state", "REDIS_CONNECTOR"},
                                   {"--shub-proxy", "SHUB_PROXY"},
                                   {"--verbose", "DEBUG"}};

void AddFlags(CLI::App& app, Texts& texts) {
  PluginOptions& o = texts.options;
  app.add_option("--nats,-s,--server", o.nats.url, "nats://, tls://, ws:// or wss:// URL of NATS");
  app.add_option("--nats-creds", o.nats.creds_file, "credentials file for NATS");
  app.add_option("--nats-nkey", o.nats.nkey_file, "file with the seed of an NKey");
  app.add_option("--nats-ca", o.nats.ca_file,
                 "PEM file of the authority that signed NATS' certificate");
  app.add_option("--nats-cert", o.nats.cert_file, "PEM file of our certificate for NATS");
  app.add_option("--nats-key", o.nats.key_file, "PEM file of its key");
  app.add_option("--nats-inbox", o.nats.inbox_prefix,
                 "where answers come to, for users who may not subscribe to all of _INBOX.>")
      ->capture_default_str();
  app.add_option("--subject,-k", o.subject, "prefix of all NATS subjects")->capture_default_str();
  app.add_option("--listen", texts.listen,
                 "ADDRESS:PORT or unix:/path to serve interLink and podferry on; several may be "
                 "given")
      ->capture_default_str();
  app.add_option("--metrics-listen", texts.metrics_listen,
                 "ADDRESS:PORT for /healthz and /metrics alone");
  app.add_flag("--insecure-listen", texts.insecure_listen,
               "allow addresses that others can reach without TLS: whoever connects may run jobs");
  app.add_option("--tls-cert", texts.tls_cert, "PEM file: serve TLS on ADDRESS:PORT listeners");
  app.add_option("--tls-key", texts.tls_key, "PEM file of its key");
  app.add_option("--tls-client-ca", texts.tls_client_ca,
                 "PEM file: clients must show a certificate that this authority signed");
  app.add_option("--state", o.state, "folder, or redis+unix:/path, that keeps the jobs (required)");
  app.add_option("--origin", o.origin,
                 "id of this cluster, such as the UID of its kube-system namespace (default: the "
                 "one in --state)");
  app.add_option("--shub-proxy", o.shub_proxy,
                 "HOST:PORT of the one registry proxy that the master token is for (default: every "
                 "one that a pool's BuildConfig names)");
  app.add_option("--shub-proxy-token-file", o.shub_proxy_token_file,
                 "file with the registry proxies' master token (default: the variable "
                 "SHUB_PROXY_MASTER_TOKEN)");
  app.add_option("--grace", texts.grace,
                 "how long a pool may be silent before its jobs are given up; 0 is for ever")
      ->capture_default_str();
  app.add_flag("--pause-dispatch", o.pause_dispatch, "accept pods, but send none to a pool");
  app.add_flag("--verbose,-v", o.verbose, "log more");
  app.add_flag("--non-interactive,-b", texts.ignored, "ignored: the plugin never asks");
  app.add_option("--timeout", texts.timeout, "ignored")->group("")->envname("NATS_TIMEOUT_SECONDS");
  app.add_flag("--version", texts.version, "print the version");
}

// "--nats-creds" -> "PODFERRY_NATS_CREDS"
std::string VariableOf(absl::string_view flag) {
  absl::ConsumePrefix(&flag, "--");
  return absl::StrCat("PODFERRY_", absl::StrReplaceAll(absl::AsciiStrToUpper(flag), {{"-", "_"}}));
}

// Values from the environment for flags that were not given.
void ApplyEnvironment(CLI::App& app, const Environment& environment) {
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

absl::StatusOr<ListenAddress> ReadAddress(std::string text,
                                          const std::optional<std::string>& base) {
  absl::string_view path = text;
  if (absl::ConsumePrefix(&path, "unix:")) {
    text = absl::StrCat("unix:", Absolute(std::string(path), base));
  }
  return ParseListenAddress(text);
}

absl::Status CheckReach(const ListenAddress& address, const Texts& texts) {
  if (address.IsLoopback() || texts.insecure_listen || !texts.tls_cert.empty()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--listen ", address.ToString(),
                   ": others can reach it, and whoever connects may run jobs; use a loopback "
                   "address, unix:/path, --tls-cert with --tls-client-ca, or --insecure-listen"));
}

absl::Status ReadListeners(const Texts& texts, const std::optional<std::string>& base,
                           PluginOptions& options) {
  for (const std::string& text : texts.listen) {
    PODFERRY_ASSIGN_OR_RETURN(ListenAddress address, ReadAddress(text, base));
    PODFERRY_RETURN_IF_ERROR(CheckReach(address, texts));
    options.listen.push_back(std::move(address));
  }
  // What it tells is no secret.
  if (!texts.metrics_listen.empty()) {
    PODFERRY_ASSIGN_OR_RETURN(options.metrics_listen, ReadAddress(texts.metrics_listen, base));
  }
  if (texts.tls_cert.empty() != texts.tls_key.empty()) {
    return absl::InvalidArgumentError("--tls-cert and --tls-key go together");
  }
  if (!texts.tls_cert.empty()) {
    options.tls = HttpServerTls{Absolute(texts.tls_cert, base), Absolute(texts.tls_key, base),
                                Absolute(texts.tls_client_ca, base)};
  }
  return absl::OkStatus();
}

absl::StatusOr<PluginOptions> Read(const Texts& texts, const std::optional<std::string>& base) {
  PluginOptions options = texts.options;
  PODFERRY_RETURN_IF_ERROR(ReadListeners(texts, base, options));
  if (options.state.empty()) {
    return absl::InvalidArgumentError(
        "--state is missing: the folder in which accepted jobs survive a restart");
  }
  if (!absl::StrContains(options.state, "://") && !absl::StartsWith(options.state, "redis+unix:")) {
    options.state = Absolute(options.state, base);
  }
  options.shub_proxy_token_file = Absolute(options.shub_proxy_token_file, base);
  NatsOptions& nats = options.nats;
  for (std::string* path :
       {&nats.creds_file, &nats.nkey_file, &nats.ca_file, &nats.cert_file, &nats.key_file}) {
    *path = Absolute(*path, base);
  }
  PODFERRY_RETURN_IF_ERROR(CheckNatsOptions(nats));
  PODFERRY_RETURN_IF_ERROR(wire::Subjects::CheckPrefix(options.subject));
  if (!absl::ParseDuration(texts.grace, &options.grace) || options.grace < absl::ZeroDuration()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--grace: want a duration such as 15m, or 0: ", texts.grace));
  }
  if (!options.origin.empty() && !IsKeyPart(options.origin)) {
    return absl::InvalidArgumentError("--origin: want letters, digits and '-', at most 63");
  }
  return options;
}

}  // namespace

CommandLine ParseCommandLine(int argc, const char* const* argv, const Environment& environment) {
  CLI::App app(
      "The plugin of podferry: takes pods from interLink's daemons and brings them to "
      "pools over NATS.",
      "plugin");
  Texts texts;
  AddFlags(app, texts);
  try {
    app.parse(argc, argv);
    ApplyEnvironment(app, environment);
  } catch (const CLI::CallForHelp&) {
    return {std::nullopt, app.help(), 0};
  } catch (const CLI::ParseError& error) {
    return {std::nullopt, absl::StrCat("plugin: ", RedactUrls(error.what()), "\nTry --help.\n"), 2};
  }
  if (texts.version) {
    return {std::nullopt, absl::StrCat("podferry plugin ", kPodferryVersion, "\n"), 0};
  }
  absl::StatusOr<PluginOptions> options = Read(texts, environment("BUILD_WORKING_DIRECTORY"));
  if (!options.ok()) {
    return {std::nullopt, absl::StrCat("plugin: ", options.status().message(), "\n"), 2};
  }
  if (options->shub_proxy_token_file.empty()) {
    options->shub_proxy_token = environment("SHUB_PROXY_MASTER_TOKEN").value_or("");
  }
  return {*std::move(options), "", 0};
}

}  // namespace podferry
