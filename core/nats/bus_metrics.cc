#include "core/nats/bus_metrics.h"

#include <string>

namespace podferry {

BusMetrics::BusMetrics(Registry& registry, absl::string_view bus)
    : connected_(registry.AddGauge("podferry_nats_connected", "1 while connected to a NATS server.",
                                   {{"bus", std::string(bus)}})),
      queued_(registry.AddGauge("podferry_nats_queued_messages",
                                "Messages that wait to be sent to the NATS server.",
                                {{"bus", std::string(bus)}})) {
  const auto add = [&](absl::string_view name, absl::string_view help, uint64_t BusStats::*field) {
    counters_.push_back({&registry.AddCounter(name, help, {{"bus", std::string(bus)}}), field});
  };
  add("podferry_nats_connections_total", "Connections made.", &BusStats::connections);
  add("podferry_nats_failed_connects_total", "Attempts to connect that failed.",
      &BusStats::failed_connects);
  add("podferry_nats_losses_total", "Connections lost.", &BusStats::losses);
  add("podferry_nats_sent_messages_total", "Messages sent.", &BusStats::sent_messages);
  add("podferry_nats_sent_bytes_total", "Payload bytes sent.", &BusStats::sent_bytes);
  add("podferry_nats_received_messages_total", "Messages received.", &BusStats::received_messages);
  add("podferry_nats_received_bytes_total", "Payload bytes received.", &BusStats::received_bytes);
  add("podferry_nats_lost_unsent_total", "Messages that were queued when a connection was lost.",
      &BusStats::lost_unsent);
  add("podferry_nats_refused_full_total", "Messages refused because too much waited to be sent.",
      &BusStats::refused_full);
  add("podferry_nats_dropped_slow_total",
      "Messages received and lost because the event loop did not keep up.",
      &BusStats::dropped_slow);
  add("podferry_nats_server_errors_total", "Permission violations and slow-consumer reports.",
      &BusStats::server_errors);
}

void BusMetrics::Update(const BusStats& stats) {
  for (const Growing& growing : counters_) {
    growing.counter->Increment(static_cast<double>(stats.*growing.field - last_.*growing.field));
  }
  connected_.Set(stats.connected ? 1 : 0);
  queued_.Set(static_cast<double>(stats.queued));
  last_ = stats;
}

}  // namespace podferry
