#include "core/http/instrumented_handler.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace podferry {
namespace {

constexpr int kClientGone = 499;

// The metrics of one method and route. Looked up once per request, as the registry's own look-up
// takes a lock and builds strings.
class RouteMetrics {
 public:
  RouteMetrics(Registry& registry, std::string method, std::string route)
      : registry_(registry),
        labels_({{"method", std::move(method)}, {"route", std::move(route)}}),
        seconds_(registry.AddHistogram("podferry_http_request_seconds",
                                       "Time from a whole request to its answer's header.",
                                       LatencyBuckets(), labels_)) {}

  void Count(int code, absl::Duration took) {
    Counter*& counter = codes_[code];
    if (counter == nullptr) {
      MetricLabels labels = labels_;
      labels["code"] = absl::StrCat(code);
      counter = &registry_.AddCounter("podferry_http_requests_total", "Requests answered.", labels);
    }
    counter->Increment();
    seconds_.Observe(absl::ToDoubleSeconds(took));
  }

 private:
  Registry& registry_;
  const MetricLabels labels_;
  Histogram& seconds_;
  absl::flat_hash_map<int, Counter*> codes_;
};

struct Metrics {
  Metrics(const Clock& the_clock, Registry& the_registry)
      : clock(the_clock),
        registry(the_registry),
        in_flight(registry.AddGauge("podferry_http_requests_in_flight",
                                    "Requests whose answer is not complete.")) {}

  RouteMetrics& Of(const HttpRouter& router, const HttpRequest& request) {
    const absl::string_view route = router.PatternOf(request);
    const absl::string_view method = route.empty() ? "other" : absl::string_view(request.method);
    std::unique_ptr<RouteMetrics>& metrics = routes[absl::StrCat(method, " ", route)];
    if (!metrics) {
      metrics = std::make_unique<RouteMetrics>(registry, std::string(method),
                                               route.empty() ? "none" : std::string(route));
    }
    return *metrics;
  }

  const Clock& clock;
  Registry& registry;
  Gauge& in_flight;
  absl::flat_hash_map<std::string, std::unique_ptr<RouteMetrics>> routes;
};

// Stands between the handler's writer and the connection's. It holds itself until the handler has
// answered or given up, as the handler's writer refers to it weakly.
class MeasuringSink final : public ResponseSink {
 public:
  static ResponseWriter Wrap(std::shared_ptr<Metrics> metrics, RouteMetrics& route,
                             ResponseWriter inner) {
    std::shared_ptr<MeasuringSink> sink(
        new MeasuringSink(std::move(metrics), route, std::move(inner)));
    sink->self_ = sink;
    return ResponseWriter(std::weak_ptr<ResponseSink>(sink));
  }

  void Send(HttpResponse response) override {
    Count(response.status);
    const auto self = End();
    inner_.Send(std::move(response));
  }

  void StartStream(int status, HttpHeaders headers) override {
    Count(status);
    inner_.StartStream(status, std::move(headers));
  }

  void Write(absl::string_view chunk) override { inner_.Write(chunk); }

  void Finish() override {
    const auto self = End();
    inner_.Finish();
  }

  void Abandon() override {
    Count(inner_.client_gone() ? kClientGone : 500);
    const auto self = End();
    const ResponseWriter dropped = std::move(inner_);
  }

  size_t buffered() const override { return inner_.buffered(); }
  bool client_gone() const override { return inner_.client_gone(); }
  void OnDrained(absl::AnyInvocable<void()> callback) override {
    inner_.OnDrained(std::move(callback));
  }
  void OnClientGone(absl::AnyInvocable<void()> callback) override {
    inner_.OnClientGone(std::move(callback));
  }

 private:
  MeasuringSink(std::shared_ptr<Metrics> metrics, RouteMetrics& route, ResponseWriter inner)
      : metrics_(std::move(metrics)),
        route_(route),
        inner_(std::move(inner)),
        begun_(metrics_->clock.Monotonic()) {
    metrics_->in_flight.Add(1);
  }

  // Once per request, at its header.
  void Count(int code) {
    if (std::exchange(counted_, true)) return;
    route_.Count(code, metrics_->clock.Monotonic() - begun_);
  }

  std::shared_ptr<MeasuringSink> End() {
    metrics_->in_flight.Add(-1);
    return std::exchange(self_, nullptr);
  }

  const std::shared_ptr<Metrics> metrics_;
  RouteMetrics& route_;
  ResponseWriter inner_;
  const absl::Duration begun_;
  bool counted_ = false;
  std::shared_ptr<MeasuringSink> self_;
};

}  // namespace

HttpHandler InstrumentedHandler(HttpRouter& router, const Clock& clock, Registry& registry) {
  auto metrics = std::make_shared<Metrics>(clock, registry);
  return [&router, metrics](HttpRequest request, ResponseWriter writer) {
    RouteMetrics& route = metrics->Of(router, request);
    router.Dispatch(std::move(request), MeasuringSink::Wrap(metrics, route, std::move(writer)));
  };
}

}  // namespace podferry
