// The command line: reads flags and files, calls a command, says what went wrong. Commands are in
// local_commands.h (no plugin needed) and plugin_commands.h.

#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/numbers.h"
#include "tools/podferry/local_commands.h"
#include "tools/podferry/plugin_client.h"
#include "tools/podferry/plugin_commands.h"

namespace podferry {
namespace {

constexpr int kFailure = 1;
constexpr int kUserError = 2;

struct Options {
  std::string plugin = "http://127.0.0.1:4000";
  std::string output = "table";
  std::string file;
  std::string build_config;
  std::string runtime;
  bool strict = false;
  std::string pool;
  std::string job;
  std::string expression;
  std::vector<std::string> names;
  bool detach = false;
  LogsOptions logs;
  std::string since;

  bool json() const { return output == "json"; }
};

// Under `bazel run` the working directory is Bazel's; the user's is in this variable.
std::string FromUsersFolder(const std::string& path) {
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  return folder == nullptr || path.empty() || path[0] == '/' ? path
                                                             : std::string(folder) + "/" + path;
}

bool ReadInput(const std::string& path, std::string* text) {
  if (path == "-") {
    text->assign(std::istreambuf_iterator<char>(std::cin), {});
    return true;
  }
  std::ifstream in(FromUsersFolder(path), std::ios::binary);
  text->assign(std::istreambuf_iterator<char>(in), {});
  if (in.is_open()) return true;
  std::cerr << "error: cannot read " << path << "\n";
  return false;
}

int Finish(const absl::Status& status, int code = 0) {
  if (status.ok()) return code;
  std::cerr << "error: " << status.message() << "\n";
  return absl::IsInvalidArgument(status) || absl::IsNotFound(status) ? kUserError : kFailure;
}

int WithPlugin(const Options& options, const std::function<int(PluginClient&)>& command) {
  PluginClient plugin(options.plugin);
  return command(plugin);
}

int Translate(const Options& options) {
  TranslateCommandOptions translate;
  translate.pool = options.pool;
  translate.runtime = options.runtime;
  if (!ReadInput(options.file, &translate.pod)) return kUserError;
  if (!options.build_config.empty() && !ReadInput(options.build_config, &translate.build_config)) {
    return kUserError;
  }
  return TranslateCommand(translate, std::cout, std::cerr);
}

int CheckConfig(const Options& options) {
  std::string text;
  if (!ReadInput(options.file, &text)) return kUserError;
  return CheckConfigCommand(options.file, text, options.strict, std::cout, std::cerr);
}

// CLI11's own words for a number out of range are about floating point.
std::string CheckLines(const std::string& text) {
  int64_t lines = 0;
  if (absl::SimpleAtoi(text, &lines) && lines >= 0) return "";
  return "want a number of lines, 0 or more";
}

int Submit(const Options& options) {
  SubmitOptions submit;
  submit.pool = options.pool;
  submit.detach = options.detach;
  if (!ReadInput(options.file, &submit.manifest)) return kUserError;
  return WithPlugin(options, [&](PluginClient& plugin) {
    int code = 0;
    absl::Status status = SubmitCommand(plugin, submit, std::cout, std::cerr, &code);
    return Finish(status, code);
  });
}

int Logs(const Options& options) {
  LogsOptions logs = options.logs;
  logs.job = options.job;
  absl::Duration since;
  if (!options.since.empty()) {
    if (!absl::ParseDuration(options.since, &since) || since < absl::ZeroDuration()) {
      std::cerr << "error: --since: want a duration such as 90s, 5m or 1h\n";
      return kUserError;
    }
    logs.since_seconds = absl::ToInt64Seconds(since);
  }
  return WithPlugin(
      options, [&](PluginClient& plugin) { return Finish(LogsCommand(plugin, logs, std::cout)); });
}

class CommandLine {
 public:
  CommandLine() {
    app_.require_subcommand(1);
    app_.fallthrough();
    app_.set_version_flag("--version", "podferry 0.1.0");
    app_.add_option("--plugin", options_.plugin,
                    "where the plugin listens: http://HOST:PORT or unix:/PATH")
        ->envname("PODFERRY_PLUGIN")
        ->capture_default_str();
    app_.add_option("-o,--output", options_.output, "table or json")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
    AddLocalCommands();
    AddJobCommands();
    AddPoolCommands();
  }

  int Run(int argc, char** argv) {
    // CLI11 throws what it has to say, --help included; it ends here.
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return app_.exit(error) == 0 ? 0 : kUserError;
    }
    return command_();
  }

 private:
  CLI::App* Add(const std::string& name, const std::string& help, std::function<int()> command) {
    CLI::App* added = app_.add_subcommand(name, help);
    added->callback([this, command = std::move(command)] { command_ = command; });
    return added;
  }

  CLI::App* AddForJob(const std::string& name, const std::string& help,
                      const std::function<absl::Status(PluginClient&)>& command) {
    CLI::App* added = Add(name, help, [this, command] {
      return WithPlugin(options_, [&](PluginClient& plugin) { return Finish(command(plugin)); });
    });
    added->add_option("JOB", options_.job, "a UID, a pod's name, or NAMESPACE/NAME")->required();
    return added;
  }

  void AddLocalCommands() {
    CLI::App* translate = Add("translate", "print the script that a pod becomes",
                              [this] { return Translate(options_); });
    translate
        ->add_option(
            "POD", options_.file,
            "a pod's manifest (YAML or JSON, with its ConfigMaps and Secrets), or the body of "
            "interLink's /create; - is standard input")
        ->required();
    translate->add_option("--build-config", options_.build_config, "the pool's BuildConfig (TOML)");
    translate->add_option("--pool", options_.pool, "the pool, where the pod does not tolerate one");
    translate->add_option("--runtime", options_.runtime, "instead of the BuildConfig's")
        ->check(CLI::IsMember({"apptainer", "podman", "host"}));
    AddConfigCommands();
    CLI::App* match = Add("match", "print the names that a pool expression matches", [this] {
      return MatchCommand(options_.expression, options_.names, std::cout, std::cerr);
    });
    match->add_option("REGEXP", options_.expression, "a regular expression as of Python's re")
        ->required();
    match->add_option("NAME", options_.names, "names of pools")->required();
  }

  void AddConfigCommands() {
    CLI::App* config = app_.add_subcommand("config", "a pool's BuildConfig");
    config->require_subcommand(1);
    CLI::App* generate =
        config->add_subcommand("generate", "print one with every key, its default and its meaning");
    generate->callback([this] { command_ = [] { return GenerateConfigCommand(std::cout); }; });
    CLI::App* check = config->add_subcommand("check", "say everything that is wrong with one");
    check->callback([this] { command_ = [this] { return CheckConfig(options_); }; });
    check->add_option("FILE", options_.file, "a BuildConfig (TOML); - is standard input")
        ->required();
    check->add_flag("--strict", options_.strict, "unknown sections and keys are wrong, too");
  }

  void AddJobCommands() {
    CLI::App* submit = Add("submit", "send a pod to a pool and show its log as it comes",
                           [this] { return Submit(options_); });
    submit->add_option("POD", options_.file, "a pod's manifest; - is standard input")->required();
    submit->add_option("--pool", options_.pool, "the pool, where the pod does not tolerate one");
    submit->add_flag("--detach", options_.detach, "do not wait for it");
    Add("jobs", "list the jobs that the plugin knows", [this] {
      return WithPlugin(options_, [&](PluginClient& plugin) {
        return Finish(JobsCommand(plugin, options_.json(), std::cout));
      });
    });
    CLI::App* logs = Add("logs", "print a container's log", [this] { return Logs(options_); });
    logs->add_option("JOB", options_.job, "a UID, a pod's name, or NAMESPACE/NAME")->required();
    logs->add_option("-c,--container", options_.logs.container, "default: the first");
    logs->add_flag("-f,--follow", options_.logs.follow, "go on until the container ends");
    logs->add_flag("-p,--previous", options_.logs.previous, "of the attempt before");
    logs->add_flag("--timestamps", options_.logs.timestamps, "a time before each line");
    logs->add_option("--tail", options_.logs.tail, "only the last so many lines")
        ->check(CLI::Validator(CheckLines, ""));
    logs->add_option("--since", options_.since, "only what is younger than, for example, 5m");
    AddForJob("trace", "print a job's way, from the journals of both sides", [this](auto& plugin) {
      return TraceCommand(plugin, options_.job, options_.json(), std::cout);
    });
    AddForJob("bundle", "print the exact script of a job, to run it by hand", [this](auto& plugin) {
      return BundleCommand(plugin, options_.job, std::cout, std::cerr);
    });
    AddForJob("delete", "end a job and forget it",
              [this](auto& plugin) { return DeleteCommand(plugin, options_.job, std::cout); });
  }

  void AddPoolCommands() {
    Add("pools", "list the pools that were heard of", [this] {
      return WithPlugin(options_, [&](PluginClient& plugin) {
        return Finish(PoolsCommand(plugin, options_.json(), std::cout));
      });
    });
    CLI::App* forget =
        Add("forget-pool", "give up all jobs and deletes of a pool that is gone", [this] {
          return WithPlugin(options_, [&](PluginClient& plugin) {
            return Finish(ForgetPoolCommand(plugin, options_.pool, std::cout));
          });
        });
    forget->add_option("POOL", options_.pool, "its name")->required();
  }

  CLI::App app_{"podferry: pods on computers that are not in the cluster"};
  Options options_;
  std::function<int()> command_;
};

}  // namespace
}  // namespace podferry

int main(int argc, char** argv) { return podferry::CommandLine().Run(argc, argv); }
