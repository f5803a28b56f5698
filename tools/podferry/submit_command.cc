#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "core/base/ids.h"
#include "core/base/status_macros.h"
#include "core/http/http_message.h"
#include "core/json/document.h"
#include "tools/podferry/manifest.h"
#include "tools/podferry/plugin_commands.h"
#include "tools/podferry/tables.h"

namespace podferry {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(200);

// What is followed: a job and how far its story has been told.
class Follower {
 public:
  Follower(PluginClient& plugin, std::string uid, std::ostream& out, std::ostream& err)
      : plugin_(plugin), uid_(std::move(uid)), out_(out), err_(err) {}

  absl::Status Run(int* exit_code) {
    while (true) {
      PODFERRY_ASSIGN_OR_RETURN(std::string body,
                                plugin_.Get(absl::StrCat("/v1/jobs/", PercentEncode(uid_))));
      PODFERRY_ASSIGN_OR_RETURN(json::Document document, json::Document::Parse(body));
      json::Value job = document.Root(nullptr);
      Tell(ProgressLine(job));
      PODFERRY_RETURN_IF_ERROR(PrintLogs(job));
      absl::string_view phase = job.Get("phase").StringOr("");
      if (phase == "Succeeded" || phase == "Failed" || phase == "Deleted") {
        *exit_code = phase == "Succeeded" ? 0 : ExitCodeOf(job);
        return absl::OkStatus();
      }
      absl::SleepFor(kPollInterval);
    }
  }

 private:
  void Tell(const std::string& line) {
    if (line != told_) err_ << "[" << line << "]\n" << std::flush;
    told_ = line;
  }

  // The log of every container that has begun, init containers first, each once and to its end.
  absl::Status PrintLogs(const json::Value& job) {
    json::Range<json::Value> containers = job.Get("containers").Items();
    for (; printed_ < containers.size(); ++printed_) {
      json::Value container = containers[printed_];
      absl::string_view state = container.Get("state").StringOr("waiting");
      if (state == "waiting") return absl::OkStatus();
      std::string name(container.Get("name").StringOr(""));
      if (containers.size() > 1) err_ << "[log of " << name << "]\n" << std::flush;
      LogsOptions options = {.job = uid_, .container = name};
      options.follow = true;
      PODFERRY_RETURN_IF_ERROR(LogsCommand(plugin_, options, out_));
    }
    return absl::OkStatus();
  }

  static int ExitCodeOf(const json::Value& job) {
    for (json::Value container : job.Get("containers").Items()) {
      int code = container.Get("exit_code").Int32Or(0);
      if (code != 0) return code > 0 && code < 256 ? code : 1;
    }
    return 1;
  }

  PluginClient& plugin_;
  const std::string uid_;
  std::ostream& out_;
  std::ostream& err_;
  std::string told_;
  size_t printed_ = 0;
};

}  // namespace

absl::Status SubmitCommand(PluginClient& plugin, const SubmitOptions& options, std::ostream& out,
                           std::ostream& err, int* exit_code) {
  ResolvedManifest manifest =
      ResolveManifest(options.manifest, {.pool = options.pool, .uid = NewUuid()});
  if (!manifest.issues.empty()) {
    std::string text = "the manifest cannot be sent";
    for (const Issue& issue : manifest.issues) absl::StrAppend(&text, "\n  ", issue.ToString());
    return absl::InvalidArgumentError(text);
  }
  PODFERRY_RETURN_IF_ERROR(plugin.Post("/v1/jobs", manifest.create_body).status());
  err << "submitted " << manifest.pod_namespace << "/" << manifest.name << " as " << manifest.uid
      << "\n";
  *exit_code = 0;
  if (options.detach) return absl::OkStatus();
  return Follower(plugin, manifest.uid, out, err).Run(exit_code);
}

}  // namespace podferry
