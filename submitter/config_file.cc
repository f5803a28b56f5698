#include "submitter/config_file.h"

#include <glog/logging.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/pool/build_config_toml.h"

namespace podferry {
namespace {

struct Split {
  std::string folder;
  std::string name;
};

Split SplitPath(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

absl::StatusOr<BuildConfig> Parse(const std::string& path, const std::string& text) {
  BuildConfigReading reading = ReadBuildConfig(text);
  for (const Issue& warning : reading.warnings) LOG(WARNING) << path << ": " << warning.ToString();
  if (!reading.errors.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", reading.errors.ToString()));
  }
  // What --generate-config prints says apptainer, too: better to hear of it here than from a pod.
  if (reading.config.runtime.kind != RuntimeKind::kHost) {
    LOG(WARNING) << path << ": runtime.kind: this version runs pods under \"host\" only; the pool "
                 << "will refuse every pod";
  }
  return std::move(reading.config);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ConfigFile>> ConfigFile::Open(std::string path,
                                                             FileSystem& file_system) {
  std::string text = kWithoutFile;
  if (!path.empty()) {
    PODFERRY_ASSIGN_OR_RETURN(text, file_system.ReadFile(path));
  }
  PODFERRY_ASSIGN_OR_RETURN(BuildConfig config, Parse(path, text));
  return std::unique_ptr<ConfigFile>(
      new ConfigFile(std::move(path), file_system, std::move(config), std::move(text)));
}

void ConfigFile::Watch(FileWatcher& watcher, WorkerPool& pool, absl::AnyInvocable<void()> changed) {
  if (path_.empty()) return;
  pool_ = &pool;
  changed_ = std::move(changed);
  const Split split = SplitPath(path_);
  // The folder, not the file: editors put a new file in its place, and Kubernetes swaps a symbolic
  // link beside it ("..data").
  absl::StatusOr<Subscription> watch =
      watcher.Watch(split.folder, [this, name = split.name](const std::vector<std::string>& names) {
        const bool ours = names.empty() ||
                          std::any_of(names.begin(), names.end(), [&](const std::string& changed) {
                            return changed == name || changed == "..data";
                          });
        if (ours) ReadAgain();
      });
  if (watch.ok()) {
    watch_ = *std::move(watch);
  } else {
    LOG(ERROR) << path_ << ": later edits will not be seen: " << watch.status();
  }
  ReadAgain();
}

void ConfigFile::ReadAgain() {
  RunOnPool(
      *pool_, [&file_system = file_system_, path = path_] { return file_system.ReadFile(path); },
      lifetime_.Bind([this](absl::StatusOr<std::string> text) { OnText(std::move(text)); }));
}

void ConfigFile::OnText(absl::StatusOr<std::string> text) {
  if (!text.ok()) {
    LOG(ERROR) << "BuildConfig stays as it was: " << text.status().message();
    return;
  }
  if (*text == text_) return;
  text_ = *std::move(text);
  absl::StatusOr<BuildConfig> config = Parse(path_, text_);
  if (!config.ok()) {
    LOG(ERROR) << "BuildConfig stays as it was: " << config.status().message();
    return;
  }
  if (*config == config_) return;
  LOG(INFO) << path_ << " has changed";
  config_ = *std::move(config);
  changed_();
}

}  // namespace podferry
