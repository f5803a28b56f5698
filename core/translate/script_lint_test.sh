#!/bin/bash
# Every golden script, and so every piece it is made of, is read by bash and by shellcheck, and holds
# nothing that bash 4.2 does not know. (`bash -n` of a newer bash does not notice.)
set -u
export LC_ALL=C.UTF-8
failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# What came after bash 4.2, and what 4.2 does otherwise (an empty array under `set -u` is an error there).
# Each is tried on the lines below, so that a slip in one of them shows.
forbidden=(
  'wait +-[a-z]*[fnp]'
  '(local|declare|typeset) +-[a-zA-Z]*[nI]' 'local +-( |;|$)' 'unset +-n'
  '\$\{!?[]A-Za-z0-9_@*[]+@[A-Za-z]\}'
  '(mapfile|readarray) +(-[a-zA-Z] *[^ ]* +)*-d'
  '\[-[0-9]' '-v +[A-Za-z_]+\[' '\[\[ (.* )?-R '
  '%\([^)]*\)T[^ ]*( *$| *[;|&>)])'
  'EPOCH(REALTIME|SECONDS)|BASH_(ARGV0|COMPAT|MONOSECONDS)|SRANDOM|CHILD_MAX|EXECIGNORE|GLOBSORT'
  'inherit_errexit|localvar_|assoc_expand_once|globskipdots|patsub_replacement|varredir_close'
  'set +-[a-zA-Z]*u|nounset' 'ulimit +-[a-zA-Z]*[kPR]' 'coproc' '\$\{[ |]' 'exec \{[a-z]+\}<&[^-]'
)
mapfile -t known <<'END'
wait -n
wait -fn "$pid"
local -n name=$1
declare -gn x
local -
unset -n x
echo "${words[@]@Q}"
echo ${name@U}
mapfile -t -d "" lines
readarray -d x
echo ${a[-1]}
[[ -v a[1] ]]
[[ -R x ]]
printf "%(%s)T"
printf '%(%F)T' >file
echo "$EPOCHREALTIME"
shopt -s inherit_errexit
set -eu
set -o nounset
ulimit -R 5
x=${ date; }
exec {fd}<&0
END
mapfile -t allowed <<'END'
wait "$pid"
local -a words
local -i n
declare -gA table
mapfile -t lines
printf '%(%s)T' -1
echo ${a[i-1]} "${a[@]}" "$x@y}"
[[ -v name ]]
set -m
ulimit -d 5
exec {fd}<&-
END
forbids() { grep -nE -- "$(IFS='|' && echo "${forbidden[*]}")"; }
for line in "${known[@]}"; do forbids <<<"$line" >/dev/null || fail "does not see: $line"; done
for line in "${allowed[@]}"; do ! forbids <<<"$line" || fail "is for bash 4.2: $line"; done

scripts=("$TEST_SRCDIR/$TEST_WORKSPACE"/core/translate/testdata/*.sh)
[[ ${#scripts[@]} -ge 12 ]] || fail "only ${#scripts[@]} scripts"
for script in "${scripts[@]}"; do
  name=${script##*/}
  # What stands behind the script's end is data.
  text=$(sed '/^\[\[ \$\$ != 0 \]\]/q' "$script")
  bash -n <(printf '%s\n' "$text") || fail "$name: bash -n"
  printf '%s\n' "$text" >"$TEST_TMPDIR/$name"
  if grep -q 'shellcheck disable' <<<"$text"; then fail "$name: disables a rule"; fi
  if forbids <<<"$text"; then fail "$name: not for bash 4.2"; fi
done
(cd "$TEST_TMPDIR" && printf '%s\0' *.sh |
  xargs -0 -P "$(nproc)" -n 1 shellcheck --shell=bash --severity=style) || fail shellcheck
exit "$((failures > 0))"
