#include "core/translate/script_files.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/translate/sandbox.h"
#include "core/translate/shell_quote.h"

namespace podferry {
namespace {

// Larger files stand behind the script, where they cost bash nothing.
constexpr size_t kInlineText = 16 * 1024;
constexpr size_t kInlineBytes = 2 * 1024;

void AppendWord(absl::string_view word, std::string* out) {
  out->push_back(' ');
  AppendShellQuoted(word, out);
}

void AppendFolders(const PlannedVolume& volume, const std::string& root, std::string* out) {
  AppendWord(root, out);
  for (const std::string& folder : volume.folders) {
    AppendWord(absl::StrCat(root, "/", folder), out);
  }
}

}  // namespace

std::string FolderOf(const PlannedVolume& volume) {
  const absl::string_view parent = volume.medium == Medium::kFiles  ? "files/"
                                   : volume.medium == Medium::kFuse ? "mounts/"
                                                                    : "volumes/";
  return absl::StrCat(parent, volume.name);
}

ScriptFiles::ScriptFiles(const JobPlan& plan) : plan_(plan) {
  write_files_ = "write_files() {\n  wait_for_folders\n";
  RenderMemoryFolders();
  const std::vector<File> files = CollectFiles();
  for (size_t begin = 0; begin < files.size();) {
    size_t end = begin;
    while (end < files.size() && files[end].second->mode == files[begin].second->mode) ++end;
    RenderFilesOfMode(files, begin, end);
    begin = end;
  }
  RenderLargeFiles();
  absl::StrAppend(&write_files_, "}\n");
  RenderFolders();
}

// By mode, since the umask is set for each.
std::vector<ScriptFiles::File> ScriptFiles::CollectFiles() {
  std::vector<File> files;
  for (const PlannedVolume& volume : plan_.volumes) {
    // The mount points of other volumes, elsewhere: see script_volumes.h.
    if (volume.medium == Medium::kPool || volume.medium == Medium::kFuse) continue;
    for (const PlannedFile& file : volume.files) {
      files.emplace_back(absl::StrCat(FolderOf(volume), "/", file.path), &file);
    }
  }
  if (!plan_.job_script.empty()) {
    job_script_ = {.mode = 0600, .content = plan_.job_script};
    files.emplace_back(kJobScriptPath, &job_script_);
  }
  std::stable_sort(files.begin(), files.end(),
                   [](const File& a, const File& b) { return a.second->mode < b.second->mode; });
  return files;
}

void ScriptFiles::RenderFolders() {
  folders_ = "folders=(status run/status";
  if (!payload_.empty()) absl::StrAppend(&folders_, " run/payload");
  if (!plan_.job_script.empty()) absl::StrAppend(&folders_, " files/job-script");
  for (size_t i = 0; i < plan_.containers.size(); ++i) {
    AppendWord(absl::StrCat("logs/", SandboxPaths::ContainerFile(static_cast<int>(i),
                                                                 plan_.containers[i].name)),
               &folders_);
  }
  for (const PlannedVolume& volume : plan_.volumes) {
    if (volume.medium == Medium::kFuse && !volume.fuse.in_container)
      AppendWord(FolderOf(volume), &folders_);
    if (volume.medium != Medium::kFiles && volume.medium != Medium::kScratch) continue;
    AppendFolders(volume, FolderOf(volume), &folders_);
  }
  absl::StrAppend(&folders_, ")\n");
}

void ScriptFiles::RenderMemoryFolders() {
  std::string folders;
  for (const PlannedVolume& volume : plan_.volumes) {
    if (volume.medium == Medium::kMemory) AppendFolders(volume, volume.name, &folders);
  }
  if (!folders.empty()) absl::StrAppend(&write_files_, "  make_memory_folders", folders, "\n");
}

void ScriptFiles::RenderFilesOfMode(const std::vector<File>& files, size_t begin, size_t end) {
  const int32_t mode = files[begin].second->mode;
  std::string executable;
  absl::StrAppendFormat(&write_files_, "  umask %04o\n", ~mode & 0777);
  for (size_t i = begin; i < end; ++i) {
    const auto& [path, file] = files[i];
    const bool is_text = IsScriptText(file->content);
    if (file->content.size() > (is_text ? kInlineText : kInlineBytes)) {
      large_.push_back(files[i]);
      continue;
    }
    absl::StrAppend(&write_files_, is_text ? "  put " : "  put_bytes ", ShellQuote(path), " ");
    AppendShellQuoted(is_text ? file->content : PrintfEscape(file->content), &write_files_);
    write_files_.push_back('\n');
    if ((mode & 0111) != 0) AppendWord(path, &executable);
  }
  if (!executable.empty()) {
    absl::StrAppendFormat(&write_files_, "  set_mode %04o%s\n", mode, executable);
  }
}

void ScriptFiles::RenderLargeFiles() {
  if (large_.empty()) return;
  std::string installs;
  for (const auto& [path, file] : large_) {
    absl::StrAppendFormat(&installs, "  install_file %04o %d %s\n", file->mode,
                          payload_.Add(file->content), ShellQuote(path));
  }
  std::string sums;
  int number = 0;
  absl::StrAppend(&write_files_, "  umask 0077\n");
  for (const ScriptPayload::Entry& entry : payload_.Entries()) {
    absl::StrAppend(&write_files_, "  unpack ", number, " ", entry.from_end, " ", entry.size, " ",
                    entry.is_base64 ? "base64" : "raw", "\n");
    absl::StrAppend(&sums, " '", entry.sha256, "  run/payload/", number, "'");
    ++number;
  }
  absl::StrAppend(&write_files_, "  check_payload", sums, "\n", installs);
}

}  // namespace podferry
