// Counters, gauges and histograms in Prometheus' text format. main() owns one Registry and gives
// it, or single metrics of it, to constructors; metrics live as long as their registry. Any thread
// may call anything here.
//
//   Counter& creates = registry.AddCounter("podferry_creates_total", "Pods accepted.");
//   creates.Increment();
//
// Names end in their unit (_seconds, _bytes) and, for counters, in _total. A name that Prometheus
// does not allow, or one used for two types, is a mistake in the program and ends it at once.

#ifndef PODFERRY_CORE_METRICS_METRICS_H_
#define PODFERRY_CORE_METRICS_METRICS_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
}  // namespace prometheus

namespace podferry {

using MetricLabels = std::map<std::string, std::string>;

class Counter {
 public:
  void Increment(double by = 1);  // by >= 0; less is ignored.
  double value() const;

 private:
  friend class Registry;
  explicit Counter(prometheus::Counter* counter) : counter_(counter) {}
  prometheus::Counter* counter_;
};

class Gauge {
 public:
  void Set(double value);
  void Add(double by);
  double value() const;

 private:
  friend class Registry;
  explicit Gauge(prometheus::Gauge* gauge) : gauge_(gauge) {}
  prometheus::Gauge* gauge_;
};

class Histogram {
 public:
  void Observe(double value);

 private:
  friend class Registry;
  explicit Histogram(prometheus::Histogram* histogram) : histogram_(histogram) {}
  prometheus::Histogram* histogram_;
};

// Bounds in seconds that suit anything between an fsync and a slow scheduler: 0.5 ms to 60 s.
std::vector<double> LatencyBuckets();

class Registry {
 public:
  Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;
  ~Registry();

  // The metric of that name and those labels; made if there is none yet. Metrics of one name share
  // the help text of the first and should have the same label names.
  Counter& AddCounter(absl::string_view name, absl::string_view help,
                      const MetricLabels& labels = {});
  Gauge& AddGauge(absl::string_view name, absl::string_view help, const MetricLabels& labels = {});
  // `buckets` are upper bounds, ascending; +Inf comes by itself.
  Histogram& AddHistogram(absl::string_view name, absl::string_view help,
                          const std::vector<double>& buckets, const MetricLabels& labels = {});

  // Ends a series, such as that of a pool which is gone. The reference is void afterwards.
  void Remove(const Counter& counter);
  void Remove(const Gauge& gauge);
  void Remove(const Histogram& histogram);

  // All metrics, sorted by name, in the text format 0.0.4, which is served as kContentType.
  std::string Render() const;
  static constexpr char kContentType[] = "text/plain; version=0.0.4; charset=utf-8";

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_METRICS_METRICS_H_
