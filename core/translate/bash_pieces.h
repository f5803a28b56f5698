// The parts of a script that are the same for every pod: the files of bash/, as text. Made by the
// build; see there for what each does.

#ifndef PODFERRY_CORE_TRANSLATE_BASH_PIECES_H_
#define PODFERRY_CORE_TRANSLATE_BASH_PIECES_H_

#include "absl/strings/string_view.h"

namespace podferry::bash_pieces {

extern const absl::string_view kPrologue;
extern const absl::string_view kBeside;
extern const absl::string_view kFuse;
extern const absl::string_view kFuseContainer;
extern const absl::string_view kHidden;
extern const absl::string_view kPoolFolders;
extern const absl::string_view kSizes;
extern const absl::string_view kFiles;
extern const absl::string_view kFolders;
extern const absl::string_view kPayload;
extern const absl::string_view kProcesses;
extern const absl::string_view kHosts;
extern const absl::string_view kMounts;
extern const absl::string_view kPlain;
extern const absl::string_view kHost;
extern const absl::string_view kPodman;
extern const absl::string_view kPodmanGuard;
extern const absl::string_view kPodmanImages;
extern const absl::string_view kPodmanOptions;
extern const absl::string_view kMemory;
extern const absl::string_view kJobScript;
extern const absl::string_view kLeader;
extern const absl::string_view kImages;
extern const absl::string_view kImageCache;
extern const absl::string_view kImageConfig;
extern const absl::string_view kApptainer;
extern const absl::string_view kApptainerEnd;
extern const absl::string_view kApptainerPull;
extern const absl::string_view kEnterApptainer;
extern const absl::string_view kReport;
extern const absl::string_view kStart;
extern const absl::string_view kSupervisor;
extern const absl::string_view kStops;
extern const absl::string_view kActions;
extern const absl::string_view kProbes;
extern const absl::string_view kHooks;
extern const absl::string_view kEnterHost;
extern const absl::string_view kMessages;
extern const absl::string_view kEnd;

}  // namespace podferry::bash_pieces

#endif  // PODFERRY_CORE_TRANSLATE_BASH_PIECES_H_
