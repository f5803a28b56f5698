// One pool as the plugin knows it, and its record in the store. Plain values: the directory owns
// them.

#ifndef PODFERRY_PLUGIN_POOL_INFO_H_
#define PODFERRY_PLUGIN_POOL_INFO_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/pool/build_config.h"
#include "core/wire/messages.h"

namespace podferry {

// Between two announcements of resources, and how long a submitter may be late before it counts as
// silent.
inline constexpr absl::Duration kAnnouncementInterval = absl::Seconds(10);
inline constexpr absl::Duration kSilentAfter = absl::Seconds(35);

struct SubmitterInfo {
  std::string id;
  uint64_t epoch = 0;
  std::string backend;
  std::string backend_id;
  bool reported = false;    // by a report since this process began
  ResourceReport report;    // the newest
  uint64_t last_event = 0;  // number of the newest delta taken in, of this epoch
  bool synced = false;      // a snapshot of this epoch has been taken in
  Farewell farewell = Farewell::kUnspecified;
  absl::Duration silent_for = absl::ZeroDuration();  // while our own connection worked
  absl::Time heard_at = absl::InfinitePast();

  bool silent() const { return silent_for >= kSilentAfter; }
};

struct PoolInfo {
  std::string name;
  std::map<std::string, SubmitterInfo> submitters;  // by id

  std::string config_text;  // TOML, as announced
  absl::Time config_time = absl::InfinitePast();
  std::shared_ptr<const BuildConfig> config;  // null: none that could be read
  std::string config_error;

  // A submitter of the Python original was heard: what it publishes is shown, nothing is sent.
  bool legacy = false;
  std::string legacy_quotas;  // JSON
  std::string problem;        // why messages of it cannot be read (another wire version)

  // Somebody of it is heard of, and has not said farewell.
  bool live() const;
  // The newest report among those live; null when there is none.
  const ResourceReport* report() const;
  // Live submitters of it do not report the same capacity.
  bool disagreement() const;
  // The shortest silence of its submitters; infinite when it has none.
  absl::Duration silent_for() const;
  // Every submitter has said farewell; true when it has none.
  bool left() const;

  // A text that cannot be read leaves the last one in force, and says so in config_error.
  void SetConfig(std::string text, absl::Time time);
};

// What survives a restart: the BuildConfig, the submitters and their silence.
std::string ToJson(const PoolInfo& pool);
// DATA_LOSS, saying which field, for what ToJson never wrote.
absl::StatusOr<PoolInfo> ParsePoolInfo(absl::string_view name, absl::string_view json);

}  // namespace podferry

#endif  // PODFERRY_PLUGIN_POOL_INFO_H_
