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

forbidden='wait -[np]|(local|declare|typeset) -n|[a-z_\]]@[A-Za-z]\}|(mapfile|readarray) (-[a-z] [0-9]+ )*-d|EPOCH(REALTIME|SECONDS)'
forbidden+='|BASH_ARGV0|SRANDOM|\[-[0-9]|coproc|inherit_errexit|exec \{[a-z]+\}<&[^-]'

scripts=("$TEST_SRCDIR/$TEST_WORKSPACE"/core/translate/testdata/*.sh)
[[ ${#scripts[@]} -ge 12 ]] || fail "only ${#scripts[@]} scripts"
for script in "${scripts[@]}"; do
  name=${script##*/}
  # What stands behind the script's end is data.
  text=$(sed '/^\[\[ \$\$ != 0 \]\]/q' "$script")
  bash -n <(printf '%s\n' "$text") || fail "$name: bash -n"
  printf '%s\n' "$text" >"$TEST_TMPDIR/$name"
  if grep -q 'shellcheck disable' <<<"$text"; then fail "$name: disables a rule"; fi
  if grep -nE "$forbidden" <<<"$text"; then fail "$name: not for bash 4.2"; fi
done
(cd "$TEST_TMPDIR" && printf '%s\0' *.sh |
  xargs -0 -P "$(nproc)" -n 1 shellcheck --shell=bash --severity=style) || fail shellcheck
exit "$((failures > 0))"
