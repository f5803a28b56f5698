#ifndef PODFERRY_CORE_WIRE_MESSAGES_H_
#define PODFERRY_CORE_WIRE_MESSAGES_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "core/job/job_key.h"
#include "core/job/job_request.h"
#include "core/job/job_status.h"

// Every message of the protocol (docs/protocol.md, proto/WIRE.md) as a plain struct. Past core/wire
// nobody sees Protobuf. All of it may be lost, repeated and reordered on the way; what each side
// does then is said per message.
namespace podferry {

// Who speaks, on the plugin's side. Submitters keep the highest epoch they saw per origin and
// refuse lower ones.
struct PluginStamp {
  std::string origin;
  uint64_t epoch = 0;
  friend bool operator==(const PluginStamp&, const PluginStamp&) = default;
};

// Who speaks, on the pool's side: the submitter's UUID and how often it has been started.
struct SubmitterStamp {
  std::string id;
  uint64_t epoch = 0;
  friend bool operator==(const SubmitterStamp&, const SubmitterStamp&) = default;
};

// Why a submitter says no. Beside each: what the plugin does.
enum class Refusal {
  kUnspecified = 0,
  kStaleRound,   // the round was refused for ever earlier: offer the next one
  kTombstone,    // the job was deleted here: the plugin completes the delete, or believes its own
                 // tombstone
  kStaleEpoch,   // a newer plugin of the origin has spoken: this one stops dispatching
  kDraining,     // the submitter is leaving: offer elsewhere, later
  kBusy,         // no room now (disk, limits): offer again, later
  kUnfit,        // the backend can never run it: the job fails as SubmitRejected
  kNotReserved,  // a start without its reservation: the next round
  kUnknownJob,   // no record of the key
  kOtherOwner,   // the message is for another submitter or epoch
};

// P.create.<pool>.<job>, to one submitter: will you take it? No side effect but a journalled
// reservation.
struct Offer {
  PluginStamp from;
  JobDescription job;
  uint32_t round = 0;  // from 1
  std::string digest;  // SHA-256 of the script, hex
  uint64_t size = 0;   // of the script, bytes
  std::string script;  // empty when it did not fit: pulled after the start
  friend bool operator==(const Offer&, const Offer&) = default;
};

struct OfferReply {
  SubmitterStamp by;
  uint32_t round = 0;
  bool reserved = false;
  Refusal refusal = Refusal::kUnspecified;
  std::string message;
  uint32_t refused_up_to = 0;  // journalled: no round up to this one is ever accepted again
  friend bool operator==(const OfferReply&, const OfferReply&) = default;
};

// P.job.<pool>.<S>.start.<job>: run what you reserved. Repeated until answered; the same round
// twice is the same start.
struct Start {
  PluginStamp from;
  JobKey key;
  uint32_t round = 0;
  std::string digest;
  friend bool operator==(const Start&, const Start&) = default;
};

struct StartReply {
  SubmitterStamp by;
  uint32_t round = 0;
  bool started = false;  // journalled; the owner answers for the job from here on
  Refusal refusal = Refusal::kUnspecified;
  std::string message;
  uint32_t refused_up_to = 0;
  JobStatus status;  // what is known of it now
  friend bool operator==(const StartReply&, const StartReply&) = default;
};

// P.job.<pool>.<S>.release.<job>: a reservation that was not needed. Journalled as "no round up to
// this one".
struct Release {
  PluginStamp from;
  JobKey key;
  uint32_t round = 0;
  friend bool operator==(const Release&, const Release&) = default;
};

struct ReleaseReply {
  SubmitterStamp by;
  bool released = false;  // false: it was started, see refusal
  Refusal refusal = Refusal::kUnspecified;
  uint32_t refused_up_to = 0;
  friend bool operator==(const ReleaseReply&, const ReleaseReply&) = default;
};

// P.job.<pool>.<S>.status.<job>
struct StatusRequest {
  PluginStamp from;
  JobKey key;
  friend bool operator==(const StatusRequest&, const StatusRequest&) = default;
};

// A line of a job's history in its submitter's journal, for `podferry trace`.
struct TimelineEntry {
  absl::Time time;
  std::string event;  // "reserved for round 1", "started as process 4711"
  friend bool operator==(const TimelineEntry&, const TimelineEntry&) = default;
};

struct StatusReply {
  SubmitterStamp by;
  bool known = false;
  JobStatus status;
  std::vector<TimelineEntry> timeline;  // oldest first, bounded by the submitter
  friend bool operator==(const StatusReply&, const StatusReply&) = default;
};

// P.job.<pool>.<S>.delete.<job>, and P.find.<pool>.<job> with `forget`. Sent until confirmed.
struct Delete {
  PluginStamp from;
  JobKey key;
  absl::Duration grace = absl::Seconds(30);  // from preStop and SIGTERM to SIGKILL
  friend bool operator==(const Delete&, const Delete&) = default;
};

struct DeleteReply {
  SubmitterStamp by;
  bool confirmed = false;  // nothing of it runs and nothing ever will; false: the tombstone is
                           // kept, the end is under way
  Refusal refusal = Refusal::kUnspecified;  // kStaleEpoch only
  std::string message;
  friend bool operator==(const DeleteReply&, const DeleteReply&) = default;
};

// P.job.<pool>.<S>.logs.<job>: a piece of a container's log. Following is asking again from
// next_offset.
struct LogRequest {
  PluginStamp from;
  JobKey key;
  std::string container;
  int32_t attempt = -1;     // -1: the current one; -2: the one before it
  int64_t offset = 0;       // bytes from the start; used when neither tail_lines nor since is set
  int64_t tail_lines = -1;  // >= 0: start at the last so many lines
  absl::Time since = absl::InfinitePast();  // start at what was written then or later
  int32_t max_bytes = 128 * 1024;           // at most 128 KiB are answered
  absl::Duration wait;  // how long to wait for bytes when there are none; at most 20 s
  friend bool operator==(const LogRequest&, const LogRequest&) = default;
};

// When the log had grown to `size` bytes: true to the sampling interval (200 ms).
struct LogMark {
  absl::Time time;
  int64_t size = 0;
  friend bool operator==(const LogMark&, const LogMark&) = default;
};

struct LogReply {
  SubmitterStamp by;
  bool known = false;   // false: see message
  std::string message;  // why there is no log (yet)
  int32_t attempt = 0;  // whose bytes these are; pass it on to keep to it
  int64_t offset = 0;   // of the first byte
  std::string bytes;
  int64_t next_offset = 0;
  bool end = false;            // the attempt has ended and this was the last of it
  std::vector<LogMark> marks;  // covering the bytes, ascending
  friend bool operator==(const LogReply&, const LogReply&) = default;
};

// P.bundle.<pool>.<origin>.<job>, owner to plugin: a piece of a script that did not fit into its
// offer.
struct BundleRequest {
  SubmitterStamp by;
  JobKey key;
  std::string digest;
  int64_t offset = 0;
  int32_t max_bytes = 0;
  friend bool operator==(const BundleRequest&, const BundleRequest&) = default;
};

struct BundleReply {
  PluginStamp from;
  bool known = false;  // false: the plugin has no such bundle, or its job was deleted
  int64_t offset = 0;
  int64_t total = 0;
  std::string bytes;
  friend bool operator==(const BundleReply&, const BundleReply&) = default;
};

// P.find.<pool>.<job>, to all submitters: who has it? With `forget`: keep a tombstone for it,
// whether known or not.
struct Find {
  PluginStamp from;
  JobKey key;
  bool forget = false;
  friend bool operator==(const Find&, const Find&) = default;
};

struct FindReply {
  SubmitterStamp by;
  std::string backend_id;
  bool known = false;      // has a started job, or found it in its backend
  bool forgotten = false;  // the tombstone is journalled and nothing of it runs
  JobStatus status;
  friend bool operator==(const FindReply&, const FindReply&) = default;
};

// A job's status as its owner last saw it. Numbers grow by one per submitter and epoch.
struct StatusDelta {
  uint64_t number = 0;
  JobStatus status;
  friend bool operator==(const StatusDelta&, const StatusDelta&) = default;
};

// P.events.<pool>, submitter to plugins.
struct EventBatch {
  SubmitterStamp by;
  std::vector<StatusDelta> deltas;  // consecutive numbers
  friend bool operator==(const EventBatch&, const EventBatch&) = default;
};

// P.sync.<pool>, plugin to submitters: a snapshot, page by page. The others ignore a request for
// one of them. A request for the first page also makes a submitter announce its BuildConfig and
// resources at once: a plugin that has just started need not wait for the next time.
struct SyncRequest {
  PluginStamp from;
  std::string only;        // a submitter's id; empty: all
  std::string page_token;  // empty: the first page
  friend bool operator==(const SyncRequest&, const SyncRequest&) = default;
};

struct SyncReply {
  SubmitterStamp by;
  uint64_t last_number = 0;  // deltas up to this one are contained
  std::vector<JobStatus>
      statuses;  // started jobs and found ones of the asking origin, all containers
  std::vector<JobDescription> jobs;  // the same order
  std::string next_page_token;       // empty: this was the last
  friend bool operator==(const SyncReply&, const SyncReply&) = default;
};

// P.config.<pool>, submitter to plugins: at launch, on change, every 60 s.
struct ConfigAnnouncement {
  SubmitterStamp by;
  uint64_t number = 0;       // grows per submitter and epoch
  std::string build_config;  // TOML without its secrets
  absl::Time time;
  friend bool operator==(const ConfigAnnouncement&, const ConfigAnnouncement&) = default;
};

enum class Farewell { kUnspecified = 0, kRestart, kDrain };

// P.resources.<pool>, submitter to controllers and plugins: at launch, on change, every 10 s, and a
// farewell.
struct ResourceReport {
  SubmitterStamp by;
  std::string pool;
  std::string backend;     // "host", "slurm"...
  std::string backend_id;  // two submitters of one backend say the same
  uint64_t number = 0;     // grows per submitter and epoch
  absl::Time time;
  std::map<std::string, std::string>
      capacity;  // Kubernetes quantities; the pool's total, not one submitter's
  std::map<std::string, std::string> used;
  std::vector<std::string> labels;  // "k=v"
  std::vector<std::string> taints;  // "k=v:Effect"
  uint64_t last_event_number = 0;   // of P.events; a gap means: ask for a snapshot
  uint64_t jobs = 0;                // that it answers for
  Farewell farewell = Farewell::kUnspecified;
  friend bool operator==(const ResourceReport&, const ResourceReport&) = default;
};

// P.shutdown.<subject>, plugin to submitters: drain and stop.
struct Shutdown {
  PluginStamp from;
  std::string reason;
  friend bool operator==(const Shutdown&, const Shutdown&) = default;
};

struct ShutdownReply {
  SubmitterStamp by;
  std::string message;
  friend bool operator==(const ShutdownReply&, const ShutdownReply&) = default;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_WIRE_MESSAGES_H_
