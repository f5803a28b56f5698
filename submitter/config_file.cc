#include "submitter/config_file.h"

#include <glog/logging.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/pool/build_config_toml.h"

namespace podferry {
namespace {

constexpr absl::Duration kReadAgain = absl::Seconds(5);
constexpr absl::Duration kSettle = absl::Milliseconds(100);

struct Split {
  std::string folder;
  std::string name;
};

Split SplitPath(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {".", path};
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

// Where the file really lies, when the path leads there over symbolic links.
std::string Target(const std::string& path) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  return error ? path : target.string();
}

absl::StatusOr<BuildConfig> Parse(const std::string& path, const std::string& text, bool strict) {
  BuildConfigReading reading = ReadBuildConfig(text, ProcessEnvironment, strict);
  for (const Issue& warning : reading.warnings) LOG(WARNING) << path << ": " << warning.ToString();
  if (!reading.errors.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", reading.errors.ToString()));
  }
  return std::move(reading.config);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ConfigFile>> ConfigFile::Open(std::string path,
                                                             FileSystem& file_system, bool strict) {
  std::string text = kWithoutFile;
  if (!path.empty()) {
    PODFERRY_ASSIGN_OR_RETURN(text, file_system.ReadFile(path));
  }
  PODFERRY_ASSIGN_OR_RETURN(BuildConfig config, Parse(path, text, strict));
  return std::unique_ptr<ConfigFile>(
      new ConfigFile(std::move(path), file_system, strict, std::move(config), std::move(text)));
}

void ConfigFile::Watch(FileWatcher& watcher, WorkerPool& pool, EventLoop& loop,
                       absl::AnyInvocable<void()> changed) {
  if (path_.empty()) return;
  watcher_ = &watcher;
  pool_ = &pool;
  loop_ = &loop;
  changed_ = std::move(changed);
  WatchFolders();
  ReadNowAndThen();
}

// The folders, not the file: editors put a new file in its place, and Kubernetes swaps a symbolic
// link beside it ("..data").
void ConfigFile::WatchFolders() {
  std::map<std::string, Subscription> watches;
  for (const std::string& path : {path_, Target(path_)}) {
    const Split split = SplitPath(path);
    if (watches.count(split.folder) > 0) continue;
    absl::StatusOr<Subscription> watch = watcher_->Watch(
        split.folder, [this, name = split.name](const std::vector<std::string>& names) {
          const bool ours = names.empty() ||
                            std::any_of(names.begin(), names.end(), [&](const std::string& other) {
                              return other == name || other == "..data";
                            });
          if (ours) ReadAgain(/*settled=*/false);
        });
    if (watch.ok()) {
      watches[split.folder] = *std::move(watch);
    } else {
      LOG(WARNING) << path << ": edits will be seen late: " << watch.status();
    }
  }
  watches_ = std::move(watches);
}

// For edits that no watch tells of: another folder was put in the place of the watched one.
void ConfigFile::ReadNowAndThen() {
  ReadAgain(/*settled=*/false);
  timer_ = loop_->RunAfter(kReadAgain, [this] {
    WatchFolders();
    ReadNowAndThen();
  });
}

void ConfigFile::ReadAgain(bool settled) {
  RunOnPool(
      *pool_, [&file_system = file_system_, path = path_] { return file_system.ReadFile(path); },
      lifetime_.Bind(
          [this, settled](absl::StatusOr<std::string> text) { OnRead(std::move(text), settled); }));
}

void ConfigFile::OnRead(absl::StatusOr<std::string> text, bool settled) {
  if (text.ok() && *text == text_) return unsettled_.reset();
  if (unsettled_.has_value() && *unsettled_ == text) {
    if (!settled) return;  // its timer runs
    unsettled_.reset();
    return OnText(std::move(text));
  }
  unsettled_ = std::move(text);
  settle_timer_ = loop_->RunAfter(kSettle, [this] { ReadAgain(/*settled=*/true); });
}

void ConfigFile::OnText(absl::StatusOr<std::string> text) {
  if (!text.ok()) {
    text_.reset();
    return OnProblem(std::string(text.status().message()));
  }
  text_ = *std::move(text);
  absl::StatusOr<BuildConfig> config = Parse(path_, *text_, strict_);
  if (!config.ok()) return OnProblem(std::string(config.status().message()));
  const bool mended = !std::exchange(problem_, "").empty();
  if (*config == config_ && !mended) return;
  LOG(INFO) << path_ << (*config == config_ ? " is in order again" : " has changed");
  config_ = *std::move(config);
  changed_();
}

void ConfigFile::OnProblem(std::string problem) {
  if (problem == problem_) return;
  problem_ = std::move(problem);
  LOG(ERROR) << "BuildConfig stays as it was: " << problem_;
  changed_();
}

}  // namespace podferry
