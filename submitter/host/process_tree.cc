#include "submitter/host/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "core/translate/sandbox.h"

namespace podferry {
namespace {

constexpr int kKillRounds = 200;
constexpr absl::Duration kKillPause = absl::Milliseconds(10);

std::string ReadProcFile(const std::string& path) {
  std::string text;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  char buffer[8192];
  for (ssize_t got; (got = read(fd, buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, static_cast<size_t>(got));
  }
  close(fd);
  return text;
}

bool CarriesSandbox(pid_t pid, const std::string& variable) {
  const std::string environment = ReadProcFile(absl::StrCat("/proc/", pid, "/environ"));
  // Most processes are no job's: one search before looking closer.
  if (!absl::StrContains(environment, variable)) return false;
  for (const absl::string_view entry : absl::StrSplit(environment, '\0')) {
    if (entry == variable) return true;
  }
  return false;
}

using Table = std::map<pid_t, process_internal::ProcStat>;

Table ReadTable() {
  Table table;
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(opendir("/proc"), closedir);
  if (proc == nullptr) return table;
  while (const dirent* entry = readdir(proc.get())) {
    pid_t pid = 0;
    if (!absl::SimpleAtoi(entry->d_name, &pid)) continue;
    absl::StatusOr<process_internal::ProcStat> stat =
        process_internal::ParseProcStat(ReadProcFile(absl::StrCat("/proc/", pid, "/stat")));
    if (stat.ok() && stat->state != 'Z' && stat->state != 'X') table[pid] = *stat;
  }
  return table;
}

// The session of `script`, unless its number now means another process.
std::optional<pid_t> SessionOf(const Table& table, const std::optional<ProcessIdentity>& script) {
  if (!script.has_value()) return std::nullopt;
  const absl::StatusOr<ProcessIdentity> own = OwnIdentity();
  if (!own.ok() || own->boot_id != script->boot_id) return std::nullopt;
  const auto leader = table.find(script->pid);
  if (leader != table.end() && leader->second.start_time != script->start_time) {
    return std::nullopt;
  }
  return script->pid;
}

std::set<pid_t> Members(const Table& table, const std::string& sandbox,
                        const std::optional<ProcessIdentity>& script) {
  const std::string variable = absl::StrCat(kSandboxVariable, "=", sandbox);
  const std::optional<pid_t> session = SessionOf(table, script);
  std::set<pid_t> members;
  for (const auto& [pid, stat] : table) {
    const bool in_session =
        session.has_value() && stat.session == *session && stat.start_time >= script->start_time;
    if (in_session || CarriesSandbox(pid, variable)) members.insert(pid);
  }
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [pid, stat] : table) {
      if (members.count(stat.parent) > 0) grown |= members.insert(pid).second;
    }
  }
  members.erase(getpid());
  return members;
}

}  // namespace

std::vector<ProcessIdentity> ProcessesOf(const std::string& sandbox,
                                         const std::optional<ProcessIdentity>& script) {
  const Table table = ReadTable();
  std::vector<ProcessIdentity> processes;
  const absl::StatusOr<ProcessIdentity> own = OwnIdentity();
  if (!own.ok()) return processes;
  for (const pid_t pid : Members(table, sandbox, script)) {
    processes.push_back(
        {.boot_id = own->boot_id, .pid = pid, .start_time = table.at(pid).start_time});
  }
  return processes;
}

std::optional<ProcessIdentity> ScriptOf(const std::string& sandbox) {
  const Table table = ReadTable();
  const std::set<pid_t> members = Members(table, sandbox, std::nullopt);
  const absl::StatusOr<ProcessIdentity> own = OwnIdentity();
  for (const pid_t pid : members) {
    const process_internal::ProcStat& stat = table.at(pid);
    if (!own.ok() || members.count(stat.parent) > 0) continue;
    return ProcessIdentity{.boot_id = own->boot_id, .pid = pid, .start_time = stat.start_time};
  }
  return std::nullopt;
}

absl::Status KillAll(const std::string& sandbox, const std::optional<ProcessIdentity>& script) {
  for (int round = 0; round < kKillRounds; ++round) {
    const std::vector<ProcessIdentity> left = ProcessesOf(sandbox, script);
    if (left.empty()) return absl::OkStatus();
    for (const ProcessIdentity& process : left) (void)Signal(process, SIGKILL);
    absl::SleepFor(kKillPause);
  }
  return absl::UnavailableError(absl::StrCat("processes of ", sandbox, " cannot be killed"));
}

}  // namespace podferry
