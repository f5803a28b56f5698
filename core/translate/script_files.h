// The part of a script that lays out a plan's files: the folders, the functions that write what
// stands in the script's text, and what stands behind its end. Bash, like script_renderer.h, whose
// part it is. Owned by one rendering; the plan must outlive it.

#ifndef PODFERRY_CORE_TRANSLATE_SCRIPT_FILES_H_
#define PODFERRY_CORE_TRANSLATE_SCRIPT_FILES_H_

#include <string>
#include <utility>
#include <vector>

#include "core/translate/job_plan.h"
#include "core/translate/script_payload.h"

namespace podferry {

// Where in the sandbox a job script is put.
inline constexpr char kJobScriptPath[] = "files/job-script/script";

// Where in the sandbox a volume is; one in memory is below another folder, by its name.
std::string FolderOf(const PlannedVolume& volume);

class ScriptFiles {
 public:
  explicit ScriptFiles(const JobPlan& plan);

  // "folders=(...)".
  const std::string& folders() const { return folders_; }
  // The function write_files.
  const std::string& write_files() const { return write_files_; }
  const ScriptPayload& payload() const { return payload_; }

 private:
  using File = std::pair<std::string, const PlannedFile*>;  // with its path in the sandbox

  std::vector<File> CollectFiles();
  void RenderFolders();
  void RenderMemoryFolders();
  void RenderFilesOfMode(const std::vector<File>& files, size_t begin, size_t end);
  void RenderLargeFiles();

  const JobPlan& plan_;
  PlannedFile job_script_;
  std::vector<File> large_;
  std::string folders_;
  std::string write_files_;
  ScriptPayload payload_;
};

}  // namespace podferry

#endif  // PODFERRY_CORE_TRANSLATE_SCRIPT_FILES_H_
