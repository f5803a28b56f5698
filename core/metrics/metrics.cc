#include "core/metrics/metrics.h"

#include <glog/logging.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <exception>
#include <mutex>

namespace podferry {
namespace {

// The metrics of one type: ours by theirs, so that the references we hand out stay put.
template <typename Ours, typename Theirs>
struct Table {
  struct Entry {
    Ours metric;
    prometheus::Family<Theirs>* family;
  };
  std::map<const Theirs*, Entry> entries;
};

}  // namespace

struct Registry::Impl {
  // Finds or makes the metric. `arguments` are for the constructor of Theirs.
  template <typename Ours, typename Theirs, typename Builder, typename... Arguments>
  Ours& Add(Table<Ours, Theirs>& table, Builder builder, absl::string_view name,
            absl::string_view help, const MetricLabels& labels, const Arguments&... arguments) {
    // One lock for all of it, or a Remove() in between could end the metric just found.
    std::lock_guard<std::mutex> lock(mutex);
    const std::string& first_help = helps.try_emplace(std::string(name), help).first->second;
    // prometheus-cpp throws on what our header calls a mistake in the program.
    try {
      auto& family = builder.Name(std::string(name)).Help(first_help).Register(theirs);
      Theirs& metric = family.Add(labels, arguments...);
      const auto [entry, is_new] = table.entries.try_emplace(
          &metric, typename Table<Ours, Theirs>::Entry{Ours(&metric), &family});
      return entry->second.metric;
    } catch (const std::exception& error) {
      LOG(FATAL) << "metric " << name << ": " << error.what();
      std::terminate();
    }
  }

  template <typename Ours, typename Theirs>
  void Remove(Table<Ours, Theirs>& table, const Theirs* metric) {
    std::lock_guard<std::mutex> lock(mutex);
    const auto entry = table.entries.find(metric);
    if (entry == table.entries.end()) return;
    prometheus::Family<Theirs>* const family = entry->second.family;
    table.entries.erase(entry);
    family->Remove(const_cast<Theirs*>(metric));
  }

  prometheus::Registry theirs;
  std::mutex mutex;
  std::map<std::string, std::string> helps;  // The first that each name was given.
  Table<Counter, prometheus::Counter> counters;
  Table<Gauge, prometheus::Gauge> gauges;
  Table<Histogram, prometheus::Histogram> histograms;
};

void Counter::Increment(double by) { counter_->Increment(by); }
double Counter::value() const { return counter_->Value(); }

void Gauge::Set(double value) { gauge_->Set(value); }
void Gauge::Add(double by) { gauge_->Increment(by); }
double Gauge::value() const { return gauge_->Value(); }

void Histogram::Observe(double value) { histogram_->Observe(value); }

std::vector<double> LatencyBuckets() {
  return {0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60};
}

Registry::Registry() : impl_(std::make_unique<Impl>()) {}
Registry::~Registry() = default;

Counter& Registry::AddCounter(absl::string_view name, absl::string_view help,
                              const MetricLabels& labels) {
  return impl_->Add(impl_->counters, prometheus::BuildCounter(), name, help, labels);
}

Gauge& Registry::AddGauge(absl::string_view name, absl::string_view help,
                          const MetricLabels& labels) {
  return impl_->Add(impl_->gauges, prometheus::BuildGauge(), name, help, labels);
}

Histogram& Registry::AddHistogram(absl::string_view name, absl::string_view help,
                                  const std::vector<double>& buckets, const MetricLabels& labels) {
  return impl_->Add(impl_->histograms, prometheus::BuildHistogram(), name, help, labels, buckets);
}

void Registry::Remove(const Counter& counter) { impl_->Remove(impl_->counters, counter.counter_); }
void Registry::Remove(const Gauge& gauge) { impl_->Remove(impl_->gauges, gauge.gauge_); }
void Registry::Remove(const Histogram& histogram) {
  impl_->Remove(impl_->histograms, histogram.histogram_);
}

std::string Registry::Render() const {
  std::vector<prometheus::MetricFamily> families = impl_->theirs.Collect();
  std::sort(families.begin(), families.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace podferry
