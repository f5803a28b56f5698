# The fence comes before all else: only the first start of this job passes it.
set +o posix
LC_ALL=C
umask 077
unset -v CDPATH GLOBIGNORE
exec </dev/null
sandbox=${PODFERRY_SANDBOX:-$PWD/$default_sandbox}
[[ $sandbox == /* ]] || sandbox=$PWD/$sandbox
script=${BASH_SOURCE[0]}
[[ $script == /* ]] || script=$PWD/$script
stop_requested=0 interrupted=0
on_signal() {
  stop_requested=1 interrupted=1
  { printf 'stop\n' >&8; } 2>/dev/null
}
trap on_signal TERM INT
trap : HUP
[[ -d $sandbox ]] || mkdir -p -- "$sandbox" || exit 1
set -C
if ! { printf '%s\n' "$$" >"$sandbox/started"; } 2>/dev/null; then
  [[ -e $sandbox/started ]] && exit "$second_start_code"
  printf 'podferry: cannot write to %s\n' "$sandbox" >&2
  exit 1
fi
set +C
