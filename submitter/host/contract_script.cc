#include "submitter/host/contract_script.h"

#include "absl/strings/str_replace.h"

namespace podferry {
namespace {

constexpr char kScript[] = R"(
umask 077
S=$PODFERRY_SANDBOX
mkdir -p "$S/status" "$S/logs/00.main"
(set -o noclobber; : > "$S/started") 2> /dev/null || exit 213
put() { local file=$1; shift; printf '%s\n' "$@" > "$file.tmp" && mv "$file.tmp" "$file"; }
read -r boot < /proc/sys/kernel/random/boot_id
stat=$(< /proc/$$/stat)
fields=(${stat##*) })
put "$S/script.pid" "$boot $$ ${fields[19]}"
echo run >> '@RUNS@'
finish() {
  local reason=Completed
  (($1 == 0)) || reason=Error
  put "$S/status/00.main" state=terminated "reason=$reason" "exit=$1" "finished=$EPOCHREALTIME"
  put "$S/finished" "exit=$1" "reason=$reason"
  exit "$1"
}
trap 'kill "$child" 2> /dev/null; wait "$child" 2> /dev/null; finish 143' TERM
put "$S/status/00.main" state=running ready=1 "started=$EPOCHREALTIME"
(
@BODY@
) > "$S/logs/00.main/0.log" 2>&1 &
child=$!
wait "$child"
finish $?
)";

}  // namespace

std::string ContractScriptText(const std::string& runs, absl::string_view body) {
  return absl::StrReplaceAll(kScript, {{"@RUNS@", runs}, {"@BODY@", body}});
}

}  // namespace podferry
