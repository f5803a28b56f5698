#include "core/journal/recovery.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/journal/segment_scanner.h"

namespace podferry::journal_internal {
namespace {

using Kind = JournalDamage::Kind;

// A segment that is being read.
struct OpenSegment {
  std::string file;  // Its name, for reports.
  std::string path;
  bool is_last = false;
  SegmentState state;
  std::unique_ptr<RandomAccessFile> reader;
  uint64_t sequence_before = 0;  // All its records have greater ones.
};

// What a whole segment looks like, damage included.
struct Survey {
  std::vector<std::pair<uint64_t, uint64_t>> good;  // Offset and size.
  std::vector<ScanStep> damage;
};

class Recovery {
 public:
  Recovery(const std::string& folder, FileSystem& file_system, Journal::Replay replay)
      : folder_(folder), files_(file_system), replay_(replay) {}

  absl::StatusOr<RecoveredJournal> Run() {
    PODFERRY_RETURN_IF_ERROR(ListFiles());
    for (size_t i = 0; i < found_.size(); ++i) {
      PODFERRY_RETURN_IF_ERROR(RecoverSegment(found_[i], i + 1 == found_.size()));
    }
    if (!result_.segments.empty()) PODFERRY_RETURN_IF_ERROR(SyncLastSegment());
    PODFERRY_RETURN_IF_ERROR(RemoveUnnamedBodies());
    return std::move(result_);
  }

 private:
  std::string Path(absl::string_view name) const { return absl::StrCat(folder_, "/", name); }

  absl::Status ListFiles() {
    PODFERRY_ASSIGN_OR_RETURN(std::vector<std::string> names, files_.ListDir(folder_));
    for (const std::string& name : names) {
      if (std::optional<SegmentName> segment = SegmentName::Parse(name)) {
        found_.push_back(*segment);  // Names sort as their ids do.
      } else if (std::optional<uint64_t> body = ParseBodyFileName(name)) {
        body_files_.push_back(*body);
      } else if (absl::StartsWith(name, "journal-") && absl::EndsWith(name, ".tmp")) {
        PODFERRY_RETURN_IF_ERROR(files_.Remove(Path(name)));  // A repair that was cut off.
      }
    }
    return absl::OkStatus();
  }

  absl::Status RecoverSegment(const SegmentName& name, bool is_last) {
    OpenSegment segment;
    segment.file = name.ToString();
    segment.path = Path(segment.file);
    segment.is_last = is_last;
    segment.state.name = name;
    PODFERRY_RETURN_IF_ERROR(Open(segment));
    PODFERRY_ASSIGN_OR_RETURN(std::optional<SegmentHeader> header, ReadHeader(segment));
    if (header.has_value() && header->version != kVersion) {
      return absl::FailedPreconditionError(absl::StrCat(
          segment.path, " has format ", header->version, ": a newer podferry wrote it"));
    }
    CheckId(segment);
    if (header.has_value()) {
      result_.last_sequence = std::max(result_.last_sequence, header->first_sequence - 1);
    }
    segment.sequence_before = result_.last_sequence;
    if (!header.has_value()) {
      if (is_last && segment.state.bytes <= kSegmentHeaderBytes) return RemoveUnborn(segment);
      PODFERRY_ASSIGN_OR_RETURN(Survey survey, Look(segment));
      Report(segment, Kind::kCorrupt, 0, kSegmentHeaderBytes, "the segment's header is wrong");
      PODFERRY_RETURN_IF_ERROR(Repair(segment, survey).status());
    }
    PODFERRY_RETURN_IF_ERROR(ReplaySegment(segment, /*may_repair=*/header.has_value()));
    result_.segments.push_back(std::move(segment.state));
    return absl::OkStatus();
  }

  // Segments are only ever removed from the old end.
  void CheckId(const OpenSegment& segment) {
    if (result_.segments.empty()) return;
    const uint64_t previous = result_.segments.back().name.id, id = segment.state.name.id;
    if (id > previous + 1) {
      Report(segment, Kind::kCorrupt, 0, 0,
             absl::StrCat("segments ", previous + 1, " to ", id - 1, " before it are missing"));
    }
  }

  absl::Status Open(OpenSegment& segment) {
    PODFERRY_ASSIGN_OR_RETURN(FileInfo info, files_.Stat(segment.path));
    PODFERRY_ASSIGN_OR_RETURN(segment.reader, files_.OpenRead(segment.path));
    segment.state.bytes = info.size;
    return absl::OkStatus();
  }

  absl::StatusOr<std::optional<SegmentHeader>> ReadHeader(const OpenSegment& segment) {
    FileWindow window(*segment.reader, segment.state.bytes);
    if (window.size() < kSegmentHeaderBytes) return std::nullopt;
    PODFERRY_ASSIGN_OR_RETURN(absl::string_view bytes, window.View(0, kSegmentHeaderBytes));
    return DecodeSegmentHeader(bytes, segment.state.name.salt);
  }

  // The power was lost while the segment was created: its header is durable before the first record
  // is written, so nothing was ever acknowledged in it.
  absl::Status RemoveUnborn(const OpenSegment& segment) {
    Report(segment, Kind::kTornTail, 0, segment.state.bytes, "the segment had just been created");
    PODFERRY_RETURN_IF_ERROR(files_.Remove(segment.path));
    return files_.SyncDir(folder_);
  }

  absl::Status ReplaySegment(OpenSegment& segment, bool may_repair) {
    std::optional<SegmentScanner> scanner;
    StartScan(scanner, segment, kSegmentHeaderBytes);
    while (true) {
      PODFERRY_ASSIGN_OR_RETURN(ScanStep step, scanner->Next());
      if (step.kind == ScanStep::Kind::kEnd) return absl::OkStatus();
      if (step.kind == ScanStep::Kind::kBatch) {
        PODFERRY_RETURN_IF_ERROR(ReplayBatch(segment, *scanner, step));
        continue;
      }
      const bool is_tail = segment.is_last && !step.next_group_start.has_value();
      if (is_tail && may_repair) return CutTail(segment, step);
      if (!may_repair) continue;
      may_repair = false;
      PODFERRY_ASSIGN_OR_RETURN(Survey survey, Look(segment));
      PODFERRY_ASSIGN_OR_RETURN(bool repaired, Repair(segment, survey));
      // What was in front of the damage lies where it lay.
      if (repaired) StartScan(scanner, segment, step.offset);
    }
  }

  void StartScan(std::optional<SegmentScanner>& scanner, const OpenSegment& segment,
                 uint64_t offset) {
    scanner.emplace(*segment.reader, segment.state.bytes, segment.state.name.salt, offset,
                    result_.last_sequence);
  }

  absl::Status ReplayBatch(OpenSegment& segment, SegmentScanner& scanner, const ScanStep& step) {
    for (const ScannedRecord& scanned : step.records) {
      const RecordHeader& header = scanned.header;
      PODFERRY_ASSIGN_OR_RETURN(absl::string_view payload, scanner.Payload(scanned));
      JournalRecord record;
      record.sequence = header.sequence;
      record.type = header.type;
      record.head = payload.substr(0, header.head_bytes);
      record.body = payload.substr(header.head_bytes);
      record.position.segment = segment.state.name.id;
      record.position.offset = static_cast<uint32_t>(scanned.offset);
      record.position.length = static_cast<uint32_t>(header.record_bytes());
      if (header.has_body_file) {
        record.position.body_file = DecodeBodyReference(record.body)->file;
        record.body = "";
        segment.state.body_files.push_back(record.position.body_file);
      }
      result_.last_sequence = header.sequence;
      replay_(record);
    }
    return absl::OkStatus();
  }

  absl::Status CutTail(OpenSegment& segment, const ScanStep& step) {
    Report(segment, Kind::kTornTail, step.offset, step.bytes, step.reason);
    PODFERRY_ASSIGN_OR_RETURN(std::unique_ptr<AppendFile> file,
                              files_.OpenAppend(segment.path, 0600));
    segment.state.bytes = step.offset;
    return file->Truncate(step.offset);  // SyncLastSegment() makes it durable.
  }

  absl::StatusOr<Survey> Look(const OpenSegment& segment) {
    Survey survey;
    SegmentScanner scanner(*segment.reader, segment.state.bytes, segment.state.name.salt,
                           kSegmentHeaderBytes, segment.sequence_before);
    while (true) {
      PODFERRY_ASSIGN_OR_RETURN(ScanStep step, scanner.Next());
      if (step.kind == ScanStep::Kind::kEnd) return survey;
      if (step.kind == ScanStep::Kind::kDamage) {
        survey.damage.push_back(std::move(step));
        continue;
      }
      survey.good.emplace_back(step.offset, step.bytes);
    }
  }

  // Reports what is wrong with a segment, keeps a copy of it as it is, and replaces it by one
  // without the damage. False if that cannot be written (a full disk): the segment is then used as
  // it is.
  absl::StatusOr<bool> Repair(OpenSegment& segment, const Survey& survey) {
    for (const ScanStep& step : survey.damage) {
      // What was written together with the next valid record was not acknowledged when a power loss
      // could tear it.
      const bool torn = segment.is_last && step.next_group_start.value_or(0) <= step.offset;
      Report(segment, torn ? Kind::kTornTail : Kind::kCorrupt, step.offset, step.bytes,
             step.reason);
    }
    const absl::Status status = Rewrite(segment, survey);
    if (!status.ok()) {
      result_.damage.back().reason += absl::StrCat("; not repaired: ", status.message());
      return false;
    }
    PODFERRY_RETURN_IF_ERROR(Open(segment));
    return true;
  }

  absl::Status Rewrite(const OpenSegment& segment, const Survey& survey) {
    // Not ReadFile(): there may be sectors that cannot be read.
    FileWindow window(*segment.reader, segment.state.bytes);
    PODFERRY_ASSIGN_OR_RETURN(absl::string_view bytes, window.View(0, segment.state.bytes));
    PODFERRY_ASSIGN_OR_RETURN(std::string aside, FreeNameBeside(segment.path));
    PODFERRY_RETURN_IF_ERROR(files_.WriteFileAtomic(aside, bytes, 0600));
    const SegmentHeader header = {kVersion, segment.state.name.id, segment.sequence_before + 1};
    const auto header_bytes = EncodeSegmentHeader(header, segment.state.name.salt);
    std::string clean(header_bytes.data(), header_bytes.size());
    for (const auto& [offset, size] : survey.good) {
      clean.append(bytes.data() + offset, size);
    }
    return files_.WriteFileAtomic(segment.path, clean, 0600);
  }

  absl::StatusOr<std::string> FreeNameBeside(const std::string& path) {
    for (int i = 1;; ++i) {
      std::string name = absl::StrCat(path, i == 1 ? "" : absl::StrCat(".", i), ".damaged");
      absl::StatusOr<FileInfo> info = files_.Stat(name);
      if (absl::IsNotFound(info.status())) return name;
      PODFERRY_RETURN_IF_ERROR(info.status());
    }
  }

  // What a killed process wrote but did not sync is read from the page cache like everything else.
  // It must not be believed before it is durable.
  absl::Status SyncLastSegment() {
    PODFERRY_ASSIGN_OR_RETURN(
        std::unique_ptr<AppendFile> file,
        files_.OpenAppend(Path(result_.segments.back().name.ToString()), 0600));
    PODFERRY_RETURN_IF_ERROR(file->Sync());
    return files_.SyncDir(folder_);
  }

  absl::Status RemoveUnnamedBodies() {
    absl::flat_hash_set<uint64_t> named;
    for (const SegmentState& segment : result_.segments) {
      named.insert(segment.body_files.begin(), segment.body_files.end());
    }
    const bool records_are_lost =
        std::any_of(result_.damage.begin(), result_.damage.end(),
                    [](const JournalDamage& damage) { return damage.kind == Kind::kCorrupt; });
    for (uint64_t body : body_files_) {
      if (named.contains(body)) continue;
      const std::string path = Path(BodyFileName(body));
      // Its record may be among the lost ones: that is for the admin to see.
      PODFERRY_RETURN_IF_ERROR(records_are_lost ? files_.Rename(path, path + ".damaged")
                                                : files_.Remove(path));
    }
    return absl::OkStatus();
  }

  void Report(const OpenSegment& segment, Kind kind, uint64_t offset, uint64_t bytes,
              std::string reason) {
    result_.damage.push_back({kind, segment.file, offset, bytes, std::move(reason)});
  }

  const std::string folder_;
  FileSystem& files_;
  const Journal::Replay replay_;

  std::vector<SegmentName> found_;
  std::vector<uint64_t> body_files_;
  RecoveredJournal result_;
};

}  // namespace

absl::StatusOr<RecoveredJournal> RecoverJournal(const std::string& folder, FileSystem& file_system,
                                                Journal::Replay replay) {
  return Recovery(folder, file_system, replay).Run();
}

}  // namespace podferry::journal_internal
