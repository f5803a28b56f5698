// Random messages for property tests: every field is filled, or left empty, by chance; the rules of
// the wire (key parts, digests, sizes) are kept.

#ifndef PODFERRY_CORE_WIRE_TESTING_RANDOM_MESSAGE_H_
#define PODFERRY_CORE_WIRE_TESTING_RANDOM_MESSAGE_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "core/wire/messages.h"

namespace podferry {

class RandomMessage {
 public:
  explicit RandomMessage(uint64_t seed) : random_(seed) {}

  template <typename Message>
  Message Make() {
    Message message;
    Fill(message);
    return message;
  }

  uint64_t Below(uint64_t end) {
    return std::uniform_int_distribution<uint64_t>(0, end - 1)(random_);
  }

 private:
  template <typename... Fields>
  void All(Fields&... fields) {
    (Fill(fields), ...);
  }

  void Fill(bool& x) { x = Below(2) == 1; }
  template <typename Int>
  requires std::is_integral_v<Int>
  void Fill(Int& x) {
    // Mostly small, sometimes the ends.
    switch (Below(4)) {
      case 0:
        x = 0;
        break;
      case 1:
        x = std::numeric_limits<Int>::max();
        break;
      default:
        x = static_cast<Int>(Below(1000));
        break;
    }
  }
  void Fill(std::string& x) {
    static constexpr const char* kPieces[] = {"a",  "Z",  "9", ".", "\n",     "\t",
                                              "\"", "\\", "%", "é", "\u2603", "\U0001F680"};
    x.clear();
    for (uint64_t n = Below(4) == 0 ? Below(3000) : Below(8); n > 0; --n) x += kPieces[Below(12)];
  }
  void Bytes(std::string& x) {
    x.clear();
    for (uint64_t n = Below(4) == 0 ? Below(5000) : Below(8); n > 0; --n) {
      x.push_back(static_cast<char>(Below(256)));
    }
  }
  void Fill(absl::Time& x) {
    x = absl::FromUnixSeconds(static_cast<int64_t>(Below(4'000'000'000)) - 1'000'000'000) +
        absl::Nanoseconds(Below(1'000'000'000));
  }
  void Fill(absl::Duration& x) {
    x = absl::Seconds(Below(100'000)) + absl::Nanoseconds(Below(1'000'000'000));
  }
  void Part(std::string& x) {
    static constexpr char kChars[] = "abcXYZ059-";
    x.clear();
    for (uint64_t n = 1 + Below(63); n > 0; --n) x.push_back(kChars[Below(10)]);
  }
  void Digest(std::string& x) {
    Fill(x);
    x = Sha256Hex(x);
  }
  template <typename Enum>
  requires std::is_enum_v<Enum>
  void Fill(Enum& x) {
    x = static_cast<Enum>(Below(std::is_same_v<Enum, Farewell>               ? 3
                                : std::is_same_v<Enum, ContainerState::Kind> ? 4
                                : std::is_same_v<Enum, Refusal>              ? 10
                                                                             : 8));
  }
  template <typename T>
  void Fill(std::vector<T>& x) {
    x.resize(Below(4));
    for (T& element : x) Fill(element);
  }
  template <typename T>
  void Fill(std::optional<T>& x) {
    if (Below(2) == 1) Fill(x.emplace());
  }
  void Fill(std::map<std::string, std::string>& x) {
    for (uint64_t n = Below(5); n > 0; --n) {
      std::string key, value;
      All(key, value);
      x[key] = value;
    }
  }

  void Fill(JobKey& m) {
    Part(m.origin);
    Part(m.uid);
  }
  void Fill(PluginStamp& m) {
    Part(m.origin);
    Fill(m.epoch);
  }
  void Fill(SubmitterStamp& m) {
    Part(m.id);
    Fill(m.epoch);
  }
  void Fill(ContainerSummary& m) { All(m.name, m.image, m.init, m.sidecar); }
  void Fill(JobDescription& m) {
    All(m.key, m.pod_namespace, m.pod_name, m.pool, m.containers, m.resources, m.annotations,
        m.grace);
    if (Below(2) == 1) Fill(m.deadline);
  }
  void Fill(JobBundle& m) {
    All(m.job);
    Bytes(m.script);
    Digest(m.digest);
  }
  void Fill(ContainerState& m) {
    All(m.kind, m.reason, m.message, m.exit_code, m.signal);
    if (Below(2) == 1) All(m.started_at, m.finished_at);
  }
  void Fill(ContainerStatus& m) {
    All(m.name, m.init, m.sidecar, m.state, m.last_state, m.restart_count, m.ready, m.image,
        m.image_id, m.container_id, m.starting);
  }
  void Fill(JobStatus& m) {
    All(m.key, m.phase, m.failure, m.message, m.backend_job_id, m.containers);
    if (Below(2) == 1) Fill(m.changed_at);
  }
  void Maybe(JobStatus& m) {
    if (Below(2) == 1) Fill(m);
  }
  void Round(uint32_t& round) {
    Fill(round);
    round = std::max(round, 1u);
  }
  void Fill(Offer& m) {
    All(m.from, m.job, m.size);
    Round(m.round);
    Digest(m.digest);
    Bytes(m.script);
    if (!m.script.empty()) m.size = m.script.size();
  }
  void Fill(OfferReply& m) {
    All(m.by, m.round, m.reserved, m.refusal, m.message, m.refused_up_to);
  }
  void Fill(Start& m) {
    All(m.from, m.key);
    Round(m.round);
    Digest(m.digest);
  }
  void Fill(StartReply& m) {
    All(m.by, m.round, m.started, m.refusal, m.message, m.refused_up_to);
    Maybe(m.status);
  }
  void Fill(Release& m) {
    All(m.from, m.key);
    Round(m.round);
  }
  void Fill(ReleaseReply& m) { All(m.by, m.released, m.refusal, m.refused_up_to); }
  void Fill(StatusRequest& m) { All(m.from, m.key); }
  void Fill(TimelineEntry& m) { All(m.time, m.event); }
  void Fill(StatusReply& m) {
    All(m.by, m.known, m.timeline);
    Maybe(m.status);
  }
  void Fill(Delete& m) { All(m.from, m.key, m.grace); }
  void Fill(DeleteReply& m) { All(m.by, m.confirmed, m.refusal, m.message); }
  void Fill(LogRequest& m) {
    All(m.from, m.key, m.container, m.attempt, m.offset, m.tail_lines, m.max_bytes, m.wait);
    m.max_bytes = std::max(m.max_bytes, 1);
    if (Below(2) == 1) Fill(m.since);
  }
  void Fill(LogMark& m) { All(m.time, m.size); }
  void Fill(LogReply& m) {
    All(m.by, m.known, m.message, m.attempt, m.offset, m.next_offset, m.end, m.marks);
    Bytes(m.bytes);
    m.next_offset = std::max(m.next_offset, m.offset);
  }
  void Fill(BundleRequest& m) {
    All(m.by, m.key, m.offset, m.max_bytes);
    Digest(m.digest);
    m.max_bytes = std::max(m.max_bytes, 1);
  }
  void Fill(BundleReply& m) {
    All(m.from, m.known);
    Bytes(m.bytes);
    m.offset = static_cast<int64_t>(Below(1000));
    m.total = m.offset + static_cast<int64_t>(m.bytes.size() + Below(1000));
  }
  void Fill(Find& m) { All(m.from, m.key, m.forget); }
  void Fill(FindReply& m) {
    All(m.by, m.backend_id, m.known, m.forgotten);
    Maybe(m.status);
  }
  void Fill(StatusDelta& m) { All(m.number, m.status); }
  void Fill(EventBatch& m) {
    All(m.by, m.deltas);
    for (size_t i = 1; i < m.deltas.size(); ++i) m.deltas[i].number = m.deltas[i - 1].number + 1;
  }
  void Fill(SyncRequest& m) { All(m.from, m.only, m.page_token); }
  void Fill(SyncReply& m) {
    All(m.by, m.last_number, m.statuses, m.next_page_token);
    m.jobs.resize(m.statuses.size());
    for (size_t i = 0; i < m.jobs.size(); ++i) {
      Fill(m.jobs[i]);
      m.jobs[i].key = m.statuses[i].key;
    }
  }
  void Fill(ConfigAnnouncement& m) { All(m.by, m.number, m.build_config, m.time); }
  void Fill(ResourceReport& m) {
    All(m.by, m.pool, m.backend, m.backend_id, m.number, m.time, m.capacity, m.used, m.labels,
        m.taints, m.last_event_number, m.jobs, m.farewell);
  }
  void Fill(Shutdown& m) { All(m.from, m.reason); }
  void Fill(ShutdownReply& m) { All(m.by, m.message); }

  std::mt19937_64 random_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_WIRE_TESTING_RANDOM_MESSAGE_H_
