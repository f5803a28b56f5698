#include "plugin/bundle_maker.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "plugin/pod_body.h"
#include "plugin/store_keys.h"

namespace podferry {

bool NeedsProxyToken(const BuildConfig& config) {
  return !config.shub_proxy.server.empty() && config.runtime.kind == RuntimeKind::kApptainer;
}

std::string NoProxyWarning(const absl::Status& status) {
  return absl::StrCat("shub_proxy.server: images come from the registry, the proxy gave no token: ",
                      status.message());
}

struct BundleMaker::Request {
  JobDescription job;
  JobSource source = JobSource::kInterLink;
  std::shared_ptr<const BuildConfig> config;
  absl::AnyInvocable<void(absl::StatusOr<Translation>)> done;
  std::string body;
  std::optional<absl::StatusOr<RetrievedPod>> pod;  // of the body, once it was read
  TranslateOptions options;
  std::string warning;

  const absl::StatusOr<RetrievedPod>& ReadPod() {
    if (!pod.has_value()) pod = ReadStoredBody(body, source, job);
    return *pod;
  }
};

void BundleMaker::Make(const JobRecord& record, std::shared_ptr<const BuildConfig> config,
                       absl::AnyInvocable<void(absl::StatusOr<Translation>)> done) {
  auto request = std::make_shared<Request>();
  request->job = record.job;
  request->source = record.source;
  request->config = std::move(config);
  request->done = std::move(done);
  store_.Read(BodyStoreKey(record.job.key.uid),
              [this, request = std::move(request),
               alive = std::weak_ptr<bool>(alive_)](absl::StatusOr<std::string> body) {
                if (alive.expired()) return;
                if (!body.ok()) return request->done(body.status());
                request->body = *std::move(body);
                OnBody(request);
              });
}

// The pod itself is only wanted before its translation when it may bring a master token.
void BundleMaker::OnBody(std::shared_ptr<Request> request) {
  if (!NeedsProxyToken(*request->config)) return Translate(std::move(request));
  workers_.Run([request] { (void)request->ReadPod(); },
               [this, request, alive = std::weak_ptr<bool>(alive_)] {
                 if (!alive.expired()) OnPod(request);
               });
}

void BundleMaker::OnPod(std::shared_ptr<Request> request) {
  const absl::StatusOr<RetrievedPod>& pod = request->ReadPod();
  if (!pod.ok()) return request->done(pod.status());
  const std::string& server = request->config->shub_proxy.server;
  std::string master;
  if (pod->job_config.has_value() && pod->job_config->hub_proxy.server == server) {
    master = pod->job_config->hub_proxy.master_token;
  }
  proxy_.GetToken(
      server, master,
      [this, request, alive = std::weak_ptr<bool>(alive_)](absl::StatusOr<std::string> token) {
        if (alive.expired()) return;
        if (token.ok()) {
          request->options.registry_proxy_token = *std::move(token);
        } else {
          request->warning = NoProxyWarning(token.status());
        }
        Translate(request);
      });
}

void BundleMaker::Translate(std::shared_ptr<Request> request) {
  RunOnPool(
      workers_,
      [translator = translator_, request]() -> absl::StatusOr<Translation> {
        const absl::StatusOr<RetrievedPod>& pod = request->ReadPod();
        if (!pod.ok()) return pod.status();
        Translation translation = translator(*pod, request->job.key, request->job.pool,
                                             *request->config, request->options);
        if (!request->warning.empty()) translation.warnings.push_back(request->warning);
        return translation;
      },
      [request, alive = std::weak_ptr<bool>(alive_)](absl::StatusOr<Translation> made) {
        if (!alive.expired()) request->done(std::move(made));
      });
}

void BundleMaker::Load(absl::string_view uid,
                       absl::AnyInvocable<void(absl::StatusOr<std::string>)> done) {
  store_.Read(BundleStoreKey(uid), [alive = std::weak_ptr<bool>(alive_), done = std::move(done)](
                                       absl::StatusOr<std::string> script) mutable {
    if (!alive.expired()) done(std::move(script));
  });
}

}  // namespace podferry
