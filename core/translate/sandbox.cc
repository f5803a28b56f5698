#include "core/translate/sandbox.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/status_macros.h"

namespace podferry {
namespace {

absl::Status BadLine(absl::string_view line, absl::string_view want) {
  return absl::InvalidArgumentError(
      absl::StrCat("want ", want, ": \"", absl::CHexEscape(line.substr(0, 200)), "\""));
}

struct Line {
  absl::string_view key;
  absl::string_view value;
  absl::string_view whole;
};

absl::StatusOr<std::vector<Line>> SplitLines(absl::string_view text) {
  std::vector<Line> lines;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    const size_t equals = line.find('=');
    if (equals == absl::string_view::npos) return BadLine(line, "key=value");
    lines.push_back({line.substr(0, equals), line.substr(equals + 1), line});
  }
  return lines;
}

absl::StatusOr<int32_t> ReadNumber(const Line& line) {
  int32_t number = 0;
  if (!absl::SimpleAtoi(line.value, &number)) return BadLine(line.whole, "a number");
  return number;
}

absl::StatusOr<absl::Time> ReadTime(const Line& line) {
  double seconds = 0;
  if (!absl::SimpleAtod(line.value, &seconds) || !std::isfinite(seconds)) {
    return BadLine(line.whole, "seconds since 1970");
  }
  // Through whole milliseconds, so that 1.23 is not 1.229999999.
  return absl::FromUnixMillis(std::llround(seconds * 1e3));
}

absl::StatusOr<std::string> ReadText(const Line& line) {
  std::string text;
  for (size_t i = 0; i < line.value.size(); ++i) {
    if (line.value[i] != '%') {
      text.push_back(line.value[i]);
      continue;
    }
    const absl::string_view digits = line.value.substr(i + 1, 2);
    if (digits.size() != 2 || !absl::ascii_isxdigit(static_cast<unsigned char>(digits[0])) ||
        !absl::ascii_isxdigit(static_cast<unsigned char>(digits[1]))) {
      return BadLine(line.whole, "two hexadecimal digits after %");
    }
    absl::StrAppend(&text, absl::HexStringToBytes(digits));
    i += 2;
  }
  return text;
}

absl::StatusOr<ContainerState::Kind> ReadKind(const Line& line) {
  if (line.value == "waiting") return ContainerState::Kind::kWaiting;
  if (line.value == "running") return ContainerState::Kind::kRunning;
  if (line.value == "terminated") return ContainerState::Kind::kTerminated;
  return BadLine(line.whole, "waiting, running or terminated");
}

absl::Status ReadStateLine(const Line& line, absl::string_view key, ContainerState* state) {
  if (key == "state") {
    PODFERRY_ASSIGN_OR_RETURN(state->kind, ReadKind(line));
  } else if (key == "reason") {
    state->reason = std::string(line.value);
  } else if (key == "message") {
    PODFERRY_ASSIGN_OR_RETURN(state->message, ReadText(line));
  } else if (key == "started") {
    PODFERRY_ASSIGN_OR_RETURN(state->started_at, ReadTime(line));
  } else if (key == "finished") {
    PODFERRY_ASSIGN_OR_RETURN(state->finished_at, ReadTime(line));
  } else if (key == "exit") {
    PODFERRY_ASSIGN_OR_RETURN(state->exit_code, ReadNumber(line));
  } else if (key == "signal") {
    PODFERRY_ASSIGN_OR_RETURN(state->signal, ReadNumber(line));
  }
  return absl::OkStatus();
}

absl::Status ReadStatusLine(const Line& line, ContainerStatus* status) {
  absl::string_view last_key = line.key;
  if (absl::ConsumePrefix(&last_key, "last_")) {
    if (!status->last_state.has_value()) {
      status->last_state = ContainerState{.kind = ContainerState::Kind::kTerminated};
    }
    return ReadStateLine(line, last_key, &*status->last_state);
  }
  if (line.key == "restarts") {
    PODFERRY_ASSIGN_OR_RETURN(status->restart_count, ReadNumber(line));
  } else if (line.key == "ready") {
    PODFERRY_ASSIGN_OR_RETURN(const int32_t ready, ReadNumber(line));
    status->ready = ready != 0;
  } else if (line.key == "starting") {
    PODFERRY_ASSIGN_OR_RETURN(const int32_t starting, ReadNumber(line));
    status->starting = starting != 0;
  } else if (line.key == "image_id") {
    status->image_id = std::string(line.value);
  }
  return ReadStateLine(line, line.key, &status->state);
}

std::string Below(absl::string_view sandbox, absl::string_view path) {
  return absl::StrCat(sandbox, "/", path);
}

std::string AttemptFile(absl::string_view sandbox, int index, absl::string_view container,
                        int attempt, absl::string_view ending) {
  return absl::StrCat(SandboxPaths::LogFolder(sandbox), "/",
                      SandboxPaths::ContainerFile(index, container), "/", attempt, ending);
}

}  // namespace

std::string SandboxPaths::Started(absl::string_view sandbox) { return Below(sandbox, "started"); }
std::string SandboxPaths::ScriptPid(absl::string_view sandbox) {
  return Below(sandbox, "script.pid");
}
std::string SandboxPaths::Finished(absl::string_view sandbox) { return Below(sandbox, "finished"); }
std::string SandboxPaths::StatusFolder(absl::string_view sandbox) {
  return Below(sandbox, "status");
}
std::string SandboxPaths::LogFolder(absl::string_view sandbox) { return Below(sandbox, "logs"); }

std::string SandboxPaths::ContainerFile(int index, absl::string_view container) {
  return absl::StrFormat("%02d.%s", index, container);
}
std::string SandboxPaths::Status(absl::string_view sandbox, int index,
                                 absl::string_view container) {
  return absl::StrCat(StatusFolder(sandbox), "/", ContainerFile(index, container));
}
std::string SandboxPaths::Log(absl::string_view sandbox, int index, absl::string_view container,
                              int attempt) {
  return AttemptFile(sandbox, index, container, attempt, ".log");
}
std::string SandboxPaths::Marks(absl::string_view sandbox, int index, absl::string_view container,
                                int attempt) {
  return AttemptFile(sandbox, index, container, attempt, ".marks");
}

absl::StatusOr<ContainerStatus> ParseContainerFile(absl::string_view text) {
  PODFERRY_ASSIGN_OR_RETURN(const std::vector<Line> lines, SplitLines(text));
  ContainerStatus status;
  for (const Line& line : lines) PODFERRY_RETURN_IF_ERROR(ReadStatusLine(line, &status));
  if (status.state.kind == ContainerState::Kind::kUnspecified) {
    return absl::InvalidArgumentError("no line with the state");
  }
  return status;
}

absl::StatusOr<FinishedFile> ParseFinishedFile(absl::string_view text) {
  PODFERRY_ASSIGN_OR_RETURN(const std::vector<Line> lines, SplitLines(text));
  FinishedFile finished;
  bool has_exit = false;
  for (const Line& line : lines) {
    if (line.key == "exit") {
      PODFERRY_ASSIGN_OR_RETURN(finished.exit_code, ReadNumber(line));
      has_exit = true;
    } else if (line.key == "reason") {
      finished.failure = ParseFailureReason(line.value);
    } else if (line.key == "message") {
      PODFERRY_ASSIGN_OR_RETURN(finished.message, ReadText(line));
    }
  }
  if (!has_exit) return absl::InvalidArgumentError("no line with the exit code");
  return finished;
}

}  // namespace podferry
