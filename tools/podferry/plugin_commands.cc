#include "tools/podferry/plugin_commands.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "core/base/status_macros.h"
#include "core/http/http_message.h"
#include "core/json/document.h"
#include "tools/podferry/tables.h"

namespace podferry {
namespace {

absl::StatusOr<json::Document> GetJson(PluginClient& plugin, absl::string_view path,
                                       std::string* text = nullptr) {
  PODFERRY_ASSIGN_OR_RETURN(std::string body, plugin.Get(path));
  if (text != nullptr) *text = body;
  return json::Document::Parse(body);
}

// The UID of what the user named: a UID, a name, or namespace/name. Several of a name are an error
// that lists them, so that nobody deletes the wrong one.
absl::StatusOr<std::string> ResolveJob(PluginClient& plugin, const std::string& name) {
  PODFERRY_ASSIGN_OR_RETURN(json::Document document, GetJson(plugin, "/v1/jobs"));
  std::vector<std::string> live, deleted;
  for (json::Value job : document.Root(nullptr).Get("jobs").Items()) {
    std::string uid(job.Get("uid").StringOr(""));
    absl::string_view pod_name = job.Get("name").StringOr("");
    if (uid == name || job.Get("key").StringOr("") == name) return uid;
    if (pod_name == name ||
        absl::StrCat(job.Get("namespace").StringOr(""), "/", pod_name) == name) {
      (job.Get("deleted").BoolOr(false) ? deleted : live).push_back(uid);
    }
  }
  const std::vector<std::string>& found = live.empty() ? deleted : live;
  if (found.size() == 1) return found[0];
  if (found.empty()) {
    return absl::NotFoundError(
        absl::StrCat("no job is called ", name, "; `podferry jobs` lists them"));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      found.size(), " jobs are called ", name, "; say which by UID: ", absl::StrJoin(found, ", ")));
}

std::string JobPath(absl::string_view uid, absl::string_view rest = "") {
  return absl::StrCat("/v1/jobs/", PercentEncode(uid), rest);
}

}  // namespace

absl::Status PoolsCommand(PluginClient& plugin, bool json, std::ostream& out) {
  std::string text;
  PODFERRY_ASSIGN_OR_RETURN(json::Document document, GetJson(plugin, "/v1/pools", &text));
  json ? out << text << "\n" : out << PoolsTable(document.Root(nullptr), absl::Now());
  return absl::OkStatus();
}

absl::Status JobsCommand(PluginClient& plugin, bool json, std::ostream& out) {
  std::string text;
  PODFERRY_ASSIGN_OR_RETURN(json::Document document, GetJson(plugin, "/v1/jobs", &text));
  json ? out << text << "\n" : out << JobsTable(document.Root(nullptr), absl::Now());
  return absl::OkStatus();
}

absl::Status TraceCommand(PluginClient& plugin, const std::string& job, bool json,
                          std::ostream& out) {
  PODFERRY_ASSIGN_OR_RETURN(std::string uid, ResolveJob(plugin, job));
  std::string text;
  PODFERRY_ASSIGN_OR_RETURN(json::Document document,
                            GetJson(plugin, JobPath(uid, "/timeline"), &text));
  json ? out << text << "\n" : out << TraceText(document.Root(nullptr));
  return absl::OkStatus();
}

absl::Status BundleCommand(PluginClient& plugin, const std::string& job, std::ostream& out,
                           std::ostream& err) {
  PODFERRY_ASSIGN_OR_RETURN(std::string uid, ResolveJob(plugin, job));
  PODFERRY_ASSIGN_OR_RETURN(std::string script, plugin.Get(JobPath(uid, "/bundle")));
  out << script;
  err << "To run it by hand, write it to a file and: PODFERRY_SANDBOX=<a new folder> bash <file>\n"
         "It may hold the pod's secrets.\n";
  return absl::OkStatus();
}

absl::Status DeleteCommand(PluginClient& plugin, const std::string& job, std::ostream& out) {
  PODFERRY_ASSIGN_OR_RETURN(std::string uid, ResolveJob(plugin, job));
  PODFERRY_RETURN_IF_ERROR(plugin.Delete(JobPath(uid)).status());
  out << "deleting " << uid << "\n";
  return absl::OkStatus();
}

absl::Status ForgetPoolCommand(PluginClient& plugin, const std::string& pool, std::ostream& out) {
  PODFERRY_RETURN_IF_ERROR(
      plugin.Post(absl::StrCat("/v1/pools/", PercentEncode(pool), "/forget"), "").status());
  out << "forgot " << pool << ": its jobs are lost, and its deletes are not sent any more\n";
  return absl::OkStatus();
}

absl::Status LogsCommand(PluginClient& plugin, const LogsOptions& options, std::ostream& out) {
  PODFERRY_ASSIGN_OR_RETURN(std::string uid, ResolveJob(plugin, options.job));
  std::string path = absl::StrCat("/v1/logs?job=", PercentEncode(uid));
  if (!options.container.empty()) {
    absl::StrAppend(&path, "&container=", PercentEncode(options.container));
  }
  if (options.follow) absl::StrAppend(&path, "&follow=true");
  if (options.previous) absl::StrAppend(&path, "&previous=true");
  if (options.timestamps) absl::StrAppend(&path, "&timestamps=true");
  if (options.tail >= 0) absl::StrAppend(&path, "&tail=", options.tail);
  if (options.since_seconds >= 0) absl::StrAppend(&path, "&since_seconds=", options.since_seconds);
  return plugin.Stream(path, [&](absl::string_view piece) { out << piece << std::flush; });
}

}  // namespace podferry
