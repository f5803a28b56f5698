// The submitter: reads the flags, builds the parts, runs the loop.

#include <glog/logging.h>
#include <signal.h>
#include <stdlib.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/clock.h"
#include "core/base/redact.h"
#include "core/base/status_macros.h"
#include "core/base/version.h"
#include "core/http/http_server.h"
#include "core/http/router.h"
#include "core/metrics/metrics.h"
#include "core/nats/nats_bus.h"
#include "core/os/asio_event_loop.h"
#include "core/os/exit_watcher.h"
#include "core/os/file_watcher.h"
#include "core/os/posix_file_system.h"
#include "core/os/process.h"
#include "core/os/worker_pool.h"
#include "core/store/open_store.h"
#include "submitter/backend/factory.h"
#include "submitter/backend/metered_backend.h"
#include "submitter/config_file.h"
#include "submitter/daemon.h"
#include "submitter/metered_store.h"
#include "submitter/options.h"

namespace podferry {
namespace {

constexpr int kWorkers = 4;
constexpr int kConfigError = 2;

void SetUpLogging(const std::string& program, const std::string& level) {
  google::InitGoogleLogging(program.c_str());
  FLAGS_logtostderr = true;
  FLAGS_minloglevel = level == "warning" ? google::GLOG_WARNING
                      : level == "error" ? google::GLOG_ERROR
                                         : google::GLOG_INFO;
  FLAGS_v = level == "debug" ? 1 : 0;
}

NatsOptions NatsOptionsOf(const SubmitterOptions& options, absl::string_view name) {
  NatsOptions nats;
  nats.url = options.nats_url;
  nats.creds_file = options.nats_creds;
  nats.nkey_file = options.nats_nkey;
  nats.ca_file = options.nats_ca;
  nats.cert_file = options.nats_cert;
  nats.key_file = options.nats_key;
  nats.inbox_prefix = options.nats_inbox;
  nats.name = absl::StrCat("podferry submitter ", options.pool, " ", name);
  return nats;
}

// The file that is named, the default one if it is there, or none.
absl::StatusOr<std::unique_ptr<ConfigFile>> OpenConfig(const SubmitterOptions& options,
                                                       FileSystem& file_system) {
  std::string path = options.build_config;
  if (path.empty() && file_system.Stat(kDefaultBuildConfigPath).ok()) {
    path = kDefaultBuildConfigPath;
  }
  return ConfigFile::Open(path, file_system, options.strict);
}

// What of the submitter's lies at the pool and holds Secrets of its pods or keys of its own.
std::vector<std::string> NotForJobs(const SubmitterOptions& options) {
  std::vector<std::string> paths = {options.state,          options.sandboxes, options.nats_creds,
                                    options.nats_nkey,      options.nats_key,  options.build_config,
                                    kDefaultBuildConfigPath};
  // Sockets by which a process of ours could be started outside of the pod.
  const char* sockets = getenv("XDG_RUNTIME_DIR");
  if (sockets != nullptr) paths.emplace_back(sockets);
  return paths;
}

// Everything that lives as long as the process, in the order in which it depends on each other.
class Program {
 public:
  explicit Program(SubmitterOptions options)
      : options_(std::move(options)),
        pool_(loop_, kWorkers),
        file_watcher_(loop_),
        exit_watcher_(loop_),
        metrics_(registry_) {}

  int Run() {
    const absl::Status status = options_.check ? Check() : Serve();
    if (status.ok()) return 0;
    std::cerr << "submitter: " << RedactUrls(std::string(status.message())) << std::endl;
    return absl::IsInvalidArgument(status) ? kConfigError : 1;
  }

 private:
  absl::Status MakeBackendFromOptions() {
    options_.sandboxes = std::filesystem::absolute(options_.sandboxes).lexically_normal().string();
    PODFERRY_ASSIGN_OR_RETURN(std::unique_ptr<Backend> backend,
                              MakeBackend(options_.backend,
                                          {.sandboxes = options_.sandboxes,
                                           .hidden = NotForJobs(options_),
                                           .fake_run_time = options_.fake_run_time},
                                          {.file_system = file_system_,
                                           .file_watcher = file_watcher_,
                                           .exit_watcher = exit_watcher_,
                                           .pool = pool_,
                                           .clock = clock_,
                                           .loop = loop_}));
    backend_ = std::make_unique<MeteredBackend>(std::move(backend), clock_, metrics_);
    return absl::OkStatus();
  }

  // --check: the diagnosis in plain words.
  absl::Status Check() {
    PODFERRY_ASSIGN_OR_RETURN(config_, OpenConfig(options_, file_system_));
    PODFERRY_RETURN_IF_ERROR(MakeBackendFromOptions());
    bool usable = false;
    backend_->Check([&](BackendReport report) {
      for (const std::string& finding : report.findings) std::cout << finding << "\n";
      usable = report.usable;
      loop_.Stop();
    });
    loop_.Run();
    return usable ? absl::OkStatus() : absl::UnavailableError("the backend cannot be used");
  }

  absl::Status OpenState() {
    absl::StatusOr<std::unique_ptr<Store>> store =
        OpenStore(options_.state, file_system_, loop_, pool_);
    if (absl::IsUnavailable(store.status())) {
      return absl::UnavailableError(
          absl::StrCat("another submitter uses this --state: ", store.status().message(),
                       "; each submitter needs a folder of its own"));
    }
    PODFERRY_RETURN_IF_ERROR(store.status());
    local_store_ = *std::move(store);
    store_ = std::make_unique<MeteredStore>(*local_store_, clock_, metrics_);
    return absl::OkStatus();
  }

  absl::Status Serve() {
    PODFERRY_ASSIGN_OR_RETURN(config_, OpenConfig(options_, file_system_));
    PODFERRY_ASSIGN_OR_RETURN(const ProcessIdentity self, OwnIdentity());
    PODFERRY_RETURN_IF_ERROR(OpenState());
    PODFERRY_RETURN_IF_ERROR(MakeBackendFromOptions());
    PODFERRY_ASSIGN_OR_RETURN(control_, NatsBus::Create(loop_, NatsOptionsOf(options_, "control")));
    PODFERRY_ASSIGN_OR_RETURN(bulk_, NatsBus::Create(loop_, NatsOptionsOf(options_, "bulk")));
    daemon_ =
        std::make_unique<Daemon>(Daemon::Options{.prefix = options_.subject,
                                                 .pool = options_.pool,
                                                 .responders = options_.responders,
                                                 .shutdown_subject = options_.shutdown_subject,
                                                 .poll_interval = options_.poll_interval,
                                                 .flags = options_.resources,
                                                 .boot_id = self.boot_id},
                                 config_->config(),
                                 Daemon::Parts{.store = *store_,
                                               .backend = *backend_,
                                               .control = *control_,
                                               .bulk = *bulk_,
                                               .clock = clock_,
                                               .loop = loop_,
                                               .metrics = metrics_});
    PODFERRY_RETURN_IF_ERROR(ServeMetrics());
    signals_ = loop_.OnSignals({SIGTERM, SIGINT}, [this](int) { OnSignal(); });
    daemon_->OnDrained([this] { loop_.Stop(); });
    daemon_->Start([this](absl::Status status) { OnStarted(std::move(status)); });
    loop_.Run();
    return result_;
  }

  void OnStarted(absl::Status status) {
    if (!status.ok()) {
      result_ = std::move(status);
      return loop_.Stop();
    }
    LOG(INFO) << "podferry submitter " << kPodferryVersion << " serves pool " << options_.pool
              << " with " << options_.backend << " at " << RedactUrls(options_.nats_url);
    config_->Watch(file_watcher_, pool_, loop_, [this] {
      metrics_.config_refused.Set(config_->problem().empty() ? 0 : 1);
      daemon_->SetConfig(config_->config());
    });
  }

  void OnSignal() {
    if (std::exchange(stopping_, true)) return loop_.Stop();
    LOG(INFO) << (options_.drain ? "draining" : "stopping; the jobs run on");
    if (options_.drain) {
      daemon_->Drain("a signal asked for it", [this] { loop_.Stop(); });
    } else {
      daemon_->StopForRestart([this] { loop_.Stop(); });
    }
  }

  // No reason to be restarted: the last good one is in use, and a new start would find none.
  std::string ConfigProblem() const {
    if (config_->problem().empty()) return "";
    return absl::StrCat("the BuildConfig before this one is in use: ", config_->problem(), "\n");
  }

  absl::Status ServeMetrics() {
    if (!options_.metrics_listen.has_value()) return absl::OkStatus();
    router_.Handle("GET", "/healthz", [this](HttpRequest, ResponseWriter writer) {
      const std::string trouble = daemon_->Trouble();
      writer.Send(trouble.empty() ? HttpResponse::Text(200, "ok\n" + ConfigProblem())
                                  : HttpResponse::Text(503, trouble + "\n" + ConfigProblem()));
    });
    router_.Handle("GET", "/metrics", [this](HttpRequest, ResponseWriter writer) {
      daemon_->UpdateGauges();
      HttpResponse response = HttpResponse::Text(200, registry_.Render());
      response.headers.Set("Content-Type", Registry::kContentType);
      writer.Send(std::move(response));
    });
    HttpServerOptions server{.address = *options_.metrics_listen};
    PODFERRY_ASSIGN_OR_RETURN(http_, HttpServer::Start(loop_, server, router_.AsHandler()));
    LOG(INFO) << "metrics at " << http_->url();
    return absl::OkStatus();
  }

  SubmitterOptions options_;
  RealClock clock_;
  PosixFileSystem file_system_;
  AsioEventLoop loop_;
  ThreadWorkerPool pool_;
  PosixFileWatcher file_watcher_;
  PosixExitWatcher exit_watcher_;
  Registry registry_;
  SubmitterMetrics metrics_;
  std::unique_ptr<Store> local_store_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<ConfigFile> config_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Bus> control_;
  std::unique_ptr<Bus> bulk_;
  std::unique_ptr<Daemon> daemon_;
  HttpRouter router_;
  std::unique_ptr<HttpServer> http_;
  Subscription signals_;
  bool stopping_ = false;
  absl::Status result_;
};

int Main(int argc, char** argv) {
  CommandLine line = ParseCommandLine(argc, argv, ProcessEnvironment);
  if (!line.options.has_value()) {
    (line.exit_code == 0 ? std::cout : std::cerr) << line.text << std::flush;
    return line.exit_code;
  }
  SetUpLogging(argv[0], line.options->log_level);
  return Program(*std::move(line.options)).Run();
}

}  // namespace
}  // namespace podferry

int main(int argc, char** argv) { return podferry::Main(argc, argv); }
