#!/usr/bin/env bash
# fuzz_run.sh FUZZER [FLAG...] -- SEED...: fuzzes for a minute, or for PODFERRY_FUZZ_SECONDS. What crashes, hangs or eats
# memory fails, and is printed whole: base64, small enough to be pasted.
set -euo pipefail
fuzzer=$1
shift
flags=()
while [ "$1" != -- ]; do
  flags+=("$1")
  shift
done
shift

corpus="$TEST_TMPDIR/corpus" found="$TEST_TMPDIR/found"
mkdir -p "$corpus" "$found"
number=0
for seed in "$@"; do
  number=$((number + 1))
  cp "$seed" "$corpus/seed-$number"
done

code=0
"$fuzzer" -max_total_time="${PODFERRY_FUZZ_SECONDS:-60}" -timeout=20 -rss_limit_mb=2048 -max_len=60000 \
  -print_final_stats=1 -artifact_prefix="$found/" ${flags[@]+"${flags[@]}"} "$corpus" >"$TEST_TMPDIR/log" 2>&1 || code=$?
tail -n 60 "$TEST_TMPDIR/log"
for file in "$found"/*; do
  [ -e "$file" ] || continue
  echo "---- ${file##*/}: base64 -d | $(basename "$fuzzer") repeats it"
  gzip -9c "$file" | base64 -w 100
  echo "---- (gzip, then base64)"
done
exit "$code"
