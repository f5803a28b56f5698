#include "submitter/host/host_sandbox.h"

#include <fcntl.h>
#include <glog/logging.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/failpoint.h"
#include "core/base/status_macros.h"
#include "core/os/posix_file_system.h"
#include "core/translate/sandbox.h"
#include "submitter/host/process_tree.h"
#include "submitter/host/unmount.h"
#include "submitter/job_json.h"

namespace podferry {
namespace {

constexpr char kDeletedFence[] = "deleted";
constexpr absl::Duration kKeepFence = absl::Hours(25);
constexpr size_t kWordsOfScript = 500;  // bytes of script.log in a message

std::string JobFile(const std::string& sandbox) { return sandbox + "/job.json"; }
std::string ScriptFile(const std::string& sandbox) { return sandbox + "/job.sh"; }
std::string ScriptLog(const std::string& sandbox) { return sandbox + "/script.log"; }
std::string HostPid(const std::string& sandbox) { return sandbox + "/host.pid"; }

// A file that need not survive a power loss: after one, nothing of the job does.
absl::Status WriteQuickly(FileSystem& file_system, const std::string& path,
                          absl::string_view data) {
  PODFERRY_ASSIGN_OR_RETURN(const std::unique_ptr<AppendFile> file,
                            file_system.OpenAppend(path, 0600));
  if (file->Size() > 0) PODFERRY_RETURN_IF_ERROR(file->Truncate(0));
  return file->Append(data);
}

// Nor need its folder: three syncs less before a process can start.
absl::Status MakeFolderQuickly(const std::string& path) {
  if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return absl::OkStatus();
  return ErrnoToFileStatus(errno, "mkdir", path);
}

std::optional<ProcessIdentity> ReadScriptPid(FileSystem& file_system, const std::string& sandbox) {
  const absl::StatusOr<std::string> text = file_system.ReadFile(SandboxPaths::ScriptPid(sandbox));
  if (!text.ok()) return std::nullopt;
  const std::vector<std::string> words =
      absl::StrSplit(*text, absl::ByAnyChar(" \n"), absl::SkipEmpty());
  ProcessIdentity identity;
  if (words.size() != 3 || !absl::SimpleAtoi(words[1], &identity.pid) ||
      !absl::SimpleAtoi(words[2], &identity.start_time)) {
    return std::nullopt;
  }
  identity.boot_id = words[0];
  return identity;
}

std::optional<ProcessIdentity> ReadHostPid(FileSystem& file_system, const std::string& sandbox) {
  const absl::StatusOr<std::string> text = file_system.ReadFile(HostPid(sandbox));
  if (!text.ok()) return std::nullopt;
  absl::StatusOr<ProcessIdentity> identity =
      ProcessIdentity::Parse(absl::StripAsciiWhitespace(*text));
  return identity.ok() ? std::optional<ProcessIdentity>(*std::move(identity)) : std::nullopt;
}

std::shared_ptr<const JobDescription> ReadJob(FileSystem& file_system, const std::string& sandbox,
                                              const JobKey& key) {
  const absl::StatusOr<std::string> text = file_system.ReadFile(JobFile(sandbox));
  if (!text.ok()) return nullptr;
  absl::StatusOr<JobDescription> job = ParseDescription(*text);
  if (!job.ok() || job->key != key) return nullptr;
  return std::make_shared<const JobDescription>(*std::move(job));
}

std::vector<ContainerStatus> ReadContainers(FileSystem& file_system, const std::string& sandbox,
                                            const JobDescription& job) {
  std::vector<ContainerStatus> containers;
  for (size_t i = 0; i < job.containers.size(); ++i) {
    const std::string& name = job.containers[i].name;
    ContainerStatus container;
    const absl::StatusOr<std::string> text =
        file_system.ReadFile(SandboxPaths::Status(sandbox, static_cast<int>(i), name));
    if (text.ok()) {
      absl::StatusOr<ContainerStatus> status = ParseContainerFile(*text);
      if (status.ok()) {
        container = *std::move(status);
      } else {
        LOG(WARNING) << sandbox << ": status of container " << name << ": " << status.status();
      }
    }
    container.name = name;
    container.image = job.containers[i].image;
    containers.push_back(std::move(container));
  }
  return containers;
}

void TakeFinished(const FinishedFile& finished, JobStatus& status) {
  const bool good = finished.exit_code == 0 && finished.failure == FailureReason::kUnspecified;
  status.phase = good ? JobPhase::kSucceeded : JobPhase::kFailed;
  status.failure = finished.failure;
  if (!good && status.failure == FailureReason::kUnspecified) {
    status.failure = FailureReason::kError;
  }
  status.message = finished.message;
}

// The end of what the script itself has said, in one line.
std::string LastWords(FileSystem& file_system, const std::string& sandbox) {
  absl::StatusOr<std::string> text = file_system.ReadFile(ScriptLog(sandbox));
  if (!text.ok()) return "";
  absl::string_view words = absl::StripAsciiWhitespace(*text);
  if (words.size() > kWordsOfScript) words.remove_prefix(words.size() - kWordsOfScript);
  return std::string(words);
}

std::string PercentEncodeLine(absl::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c == '%' || c == '\n' || c == '\r') {
      absl::StrAppend(&line, "%", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    } else {
      line.push_back(c);
    }
  }
  return line;
}

std::string HowItDied(const ProcessExit& exit) {
  if (exit.signal.has_value()) {
    return absl::StrCat(
        "the job's script was killed by signal ", *exit.signal,
        *exit.signal == SIGKILL ? " (SIGKILL: out of memory, or an administrator)" : "");
  }
  if (exit.exit_code.has_value()) {
    return absl::StrCat("the job's script ended with code ", *exit.exit_code,
                        " without saying how its containers did");
  }
  return "the job's script was gone when the submitter looked for it";
}

bool OtherBoot(const std::optional<ProcessIdentity>& process) {
  const absl::StatusOr<ProcessIdentity> own = OwnIdentity();
  return process.has_value() && own.ok() && process->boot_id != own->boot_id;
}

}  // namespace

SandboxView LookAt(FileSystem& file_system, const std::string& sandbox, const JobKey& key,
                   std::shared_ptr<const JobDescription> job) {
  SandboxView view;
  view.status.key = key;
  const absl::StatusOr<std::string> fence = file_system.ReadFile(SandboxPaths::Started(sandbox));
  if (!fence.ok() && !file_system.Stat(sandbox).ok()) return view;
  if (fence.ok() && absl::StripAsciiWhitespace(*fence) == kDeletedFence) {
    view.kind = SandboxView::Kind::kDeleted;
    view.process = ReadHostPid(file_system, sandbox);
    return view;
  }
  view.job = job != nullptr ? std::move(job) : ReadJob(file_system, sandbox, key);
  view.process = ReadScriptPid(file_system, sandbox);
  if (!view.process.has_value()) view.process = ReadHostPid(file_system, sandbox);
  // It may have been started by a submitter that died before it could write the pid down.
  if (!view.process.has_value()) view.process = ScriptOf(sandbox);
  if (!view.process.has_value() && !fence.ok()) return view;
  // In this order: a script writes `finished` and then ends.
  const bool alive = view.process.has_value() && IsAlive(*view.process);
  const absl::StatusOr<std::string> finished =
      file_system.ReadFile(SandboxPaths::Finished(sandbox));
  absl::StatusOr<FinishedFile> end =
      finished.ok() ? ParseFinishedFile(*finished) : finished.status();
  view.kind = end.ok() ? SandboxView::Kind::kEnded
                       : (alive ? SandboxView::Kind::kAlive : SandboxView::Kind::kDied);
  view.status.phase = fence.ok() ? JobPhase::kRunning : JobPhase::kSubmitted;
  if (view.process.has_value()) view.status.backend_job_id = view.process->ToString();
  if (view.job != nullptr) {
    view.status.containers = ReadContainers(file_system, sandbox, *view.job);
  }
  if (end.ok()) TakeFinished(*end, view.status);
  return view;
}

absl::Status Close(FileSystem& file_system, const std::string& sandbox, const SandboxView& view,
                   const ProcessExit& exit) {
  PODFERRY_RETURN_IF_ERROR(KillAll(sandbox, view.process));
  UnmountBelow(sandbox);
  const bool lost = OtherBoot(view.process);
  std::string message = lost ? "the machine was restarted while the job ran" : HowItDied(exit);
  const std::string words = lost ? "" : LastWords(file_system, sandbox);
  if (!words.empty()) absl::StrAppend(&message, "; its last words: ", words);
  const FailureReason reason =
      lost || (!exit.exit_code && !exit.signal) ? FailureReason::kNodeLost : FailureReason::kError;
  const int code = exit.signal.has_value() ? 128 + *exit.signal : exit.exit_code.value_or(137);
  return file_system.WriteFileAtomic(
      SandboxPaths::Finished(sandbox),
      absl::StrCat("exit=", code == 0 ? 1 : code, "\nreason=", ToString(reason),
                   "\nmessage=", PercentEncodeLine(message), "\n"),
      0600);
}

SandboxView Settle(FileSystem& file_system, const std::string& sandbox, const JobKey& key,
                   std::shared_ptr<const JobDescription> job, const ProcessExit& exit) {
  SandboxView view = LookAt(file_system, sandbox, key, std::move(job));
  if (view.kind != SandboxView::Kind::kDied) return view;
  const absl::Status closed = Close(file_system, sandbox, view, exit);
  if (!closed.ok()) {
    LOG(ERROR) << sandbox << ": the end of its script cannot be written down: " << closed;
    return view;
  }
  return LookAt(file_system, sandbox, key, view.job);
}

absl::StatusOr<SandboxView> StartIn(FileSystem& file_system, const std::string& sandbox,
                                    const Submission& submission, const Environment& environment) {
  auto job = std::make_shared<const JobDescription>(submission.job);
  SandboxView view = Settle(file_system, sandbox, submission.job.key, job);
  if (view.kind != SandboxView::Kind::kNothing) return view;
  for (const std::string& folder :
       {sandbox, SandboxPaths::StatusFolder(sandbox), SandboxPaths::LogFolder(sandbox)}) {
    PODFERRY_RETURN_IF_ERROR(MakeFolderQuickly(folder));
  }
  PODFERRY_RETURN_IF_ERROR(
      WriteQuickly(file_system, JobFile(sandbox), DescriptionToJson(submission.job)));
  PODFERRY_RETURN_IF_ERROR(WriteQuickly(file_system, ScriptFile(sandbox), submission.script));
  DetachedCommand command{.argv = {"bash", ScriptFile(sandbox)},
                          .env = environment,
                          .cwd = sandbox,
                          .stdout_path = ScriptLog(sandbox),
                          .stderr_path = ScriptLog(sandbox)};
  command.env->emplace_back(kSandboxVariable, sandbox);
  Failpoint("submitter.host.before_fork");
  PODFERRY_ASSIGN_OR_RETURN(view.process, StartDetached(command));
  Failpoint("submitter.host.after_exec");
  Failpoint("submitter.host.before_pid_record");
  // Without it the job would still be found, by its environment or the pid it writes itself.
  const absl::Status written =
      WriteQuickly(file_system, HostPid(sandbox), view.process->ToString());
  if (!written.ok()) LOG(WARNING) << sandbox << ": " << written;
  Failpoint("submitter.host.after_pid_record");
  view.kind = SandboxView::Kind::kAlive;
  view.job = std::move(job);
  view.status.phase = JobPhase::kSubmitted;
  view.status.backend_job_id = view.process->ToString();
  return view;
}

absl::StatusOr<SandboxView> Fence(FileSystem& file_system, const std::string& sandbox,
                                  const JobKey& key) {
  PODFERRY_RETURN_IF_ERROR(file_system.MakeDirs(sandbox, 0700));
  const std::string path = SandboxPaths::Started(sandbox);
  // As the script makes it: only one of the two gets it.
  const int fence = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fence < 0 && errno != EEXIST) return ErrnoToFileStatus(errno, "create", path);
  if (fence >= 0) {
    close(fence);
    PODFERRY_RETURN_IF_ERROR(WriteQuickly(file_system, path, kDeletedFence));
  }
  SandboxView view = LookAt(file_system, sandbox, key, nullptr);
  if (!view.process.has_value()) view.process = ReadHostPid(file_system, sandbox);
  return view;
}

absl::Status Demolish(FileSystem& file_system, const std::string& sandbox,
                      const std::optional<ProcessIdentity>& process) {
  PODFERRY_RETURN_IF_ERROR(KillAll(sandbox, process));
  UnmountBelow(sandbox);
  PODFERRY_RETURN_IF_ERROR(
      file_system.WriteFileAtomic(SandboxPaths::Started(sandbox), kDeletedFence, 0600));
  PODFERRY_ASSIGN_OR_RETURN(const std::vector<std::string> names, file_system.ListDir(sandbox));
  for (const std::string& name : names) {
    const std::string path = absl::StrCat(sandbox, "/", name);
    if (path == SandboxPaths::Started(sandbox)) continue;
    const absl::Status removed = file_system.RemoveAll(path);
    // The job is gone all the same; PruneSandboxes() tries again.
    if (!removed.ok()) LOG(WARNING) << "a deleted job leaves files behind: " << removed;
  }
  return absl::OkStatus();
}

void PruneSandboxes(FileSystem& file_system, const std::string& root,
                    const absl::flat_hash_set<JobKey>& in_use, absl::Time now) {
  const absl::StatusOr<std::vector<std::string>> names = file_system.ListDir(root);
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    const absl::StatusOr<JobKey> key = ParseJobKey(name);
    const std::string sandbox = absl::StrCat(root, "/", name);
    const absl::StatusOr<FileInfo> info = file_system.Stat(sandbox);
    if (!key.ok() || in_use.contains(*key)) continue;
    if (!info.ok() || info->modified > now - kKeepFence) continue;
    const SandboxView view = LookAt(file_system, sandbox, *key, nullptr);
    const bool over =
        view.kind == SandboxView::Kind::kDeleted || view.kind == SandboxView::Kind::kNothing;
    if (!over) continue;
    const absl::Status removed = file_system.RemoveAll(sandbox);
    if (!removed.ok()) LOG(WARNING) << sandbox << " cannot be removed: " << removed;
  }
}

}  // namespace podferry
