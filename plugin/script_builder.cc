#include "plugin/script_builder.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/base/excerpt.h"
#include "core/job/job_key.h"
#include "core/pod/pod.h"
#include "core/pod/pod_validator.h"
#include "core/pool/build_config.h"

namespace podferry {
namespace {

// What stands in the script for the pool of a pod that tolerates none.
constexpr char kNoPool[] = "interlink";

void CheckJobConfig(const JobConfig& config, Issues* issues) {
  const std::string& mode = config.apptainer.fuse_mode;
  if (mode.empty() || mode == "container" || mode == "host" || mode == "host-privileged") return;
  issues->Add(
      "jobConfig.ApptainerOptions.fuseMode",
      absl::StrCat("want one of container, host, host-privileged, got ", QuotedExcerpt(mode)));
}

}  // namespace

struct ScriptBuilder::Request {
  std::string body;
  Done done;
  absl::StatusOr<RetrievedPod> pod = absl::UnknownError("not read");
  BuildConfig config;
  TranslateOptions options;
  BuiltScript built;
};

void ScriptBuilder::Build(std::string body, Done done) {
  auto request = std::make_shared<Request>();
  request->body = std::move(body);
  request->done = std::move(done);
  workers_.Run(
      [request] {
        request->pod = AdmitPod(request->body, &request->built.issues, PoolNeed::kOptional);
        request->body.clear();
        if (request->pod.ok() && request->pod->job_config.has_value()) {
          CheckJobConfig(*request->pod->job_config, &request->built.issues);
        }
      },
      [this, request, alive = std::weak_ptr<bool>(alive_)] {
        if (!alive.expired()) OnRead(request);
      });
}

void ScriptBuilder::OnRead(std::shared_ptr<Request> request) {
  request->built.status = request->pod.status();
  if (!request->built.status.ok() || !request->built.issues.empty()) {
    return request->done(std::move(request->built));
  }
  const RetrievedPod& pod = *request->pod;
  const PoolInfo* const info = directory_.Find(PoolOf(pod.pod));
  if (info != nullptr && info->config != nullptr) request->config = *info->config;
  if (pod.job_config.has_value()) {
    request->config = WithJobConfig(std::move(request->config), *pod.job_config);
  }
  request->config.runtime.kind = RuntimeKind::kApptainer;
  GetToken(std::move(request));
}

void ScriptBuilder::GetToken(std::shared_ptr<Request> request) {
  const ShubProxyOptions proxy = request->config.shub_proxy;
  request->config = WithoutSecrets(std::move(request->config));
  if (proxy.server.empty()) return Translate(std::move(request));
  proxy_.GetToken(
      proxy.server, proxy.master_token,
      [this, request, alive = std::weak_ptr<bool>(alive_)](absl::StatusOr<std::string> token) {
        if (alive.expired()) return;
        if (token.ok()) {
          request->options.registry_proxy_token = *std::move(token);
        } else {
          request->built.warnings.push_back(NoProxyWarning(token.status()));
        }
        Translate(request);
      });
}

void ScriptBuilder::Translate(std::shared_ptr<Request> request) {
  workers_.Run(
      [request, translator = translator_, origin = origin_] {
        const RetrievedPod& pod = *request->pod;
        const std::string pool = PoolOf(pod.pod);
        Translation translation =
            translator(pod, JobKey{origin, pod.pod.metadata.uid}, pool.empty() ? kNoPool : pool,
                       request->config, request->options);
        BuiltScript& built = request->built;
        built.issues = std::move(translation.issues);
        built.script = std::move(translation.bundle.script);
        for (std::string& warning : translation.warnings) {
          built.warnings.push_back(std::move(warning));
        }
      },
      [request, alive = std::weak_ptr<bool>(alive_)] {
        if (!alive.expired()) request->done(std::move(request->built));
      });
}

}  // namespace podferry
