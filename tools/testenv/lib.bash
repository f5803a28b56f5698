# Shared by the scripts of this folder: words for the user, and the cache of what they make.
# shellcheck shell=bash

# Where everything lies that is made once per machine.
readonly cache=${PODFERRY_TESTENV:-${XDG_CACHE_HOME:-${HOME-}/.cache}/podferry/testenv}

say() { echo "testenv: $*" >&2; }
die() {
  say "$*"
  exit 1
}

# Ten digits that change when one of the files does: what is pinned, and how it is made.
pin_of() { cat -- "$@" | sha256sum | cut -c 1-10; }

# make_once NAME COMMAND...: prints the folder of the cache that holds NAME. Where there is none yet,
# COMMAND gets an empty folder as its last argument, which becomes it by a rename at the end: there
# is all of it or nothing. Of several runs at once one makes it, and the others wait.
make_once() {
  local place=$cache/$1 started=$SECONDS lock
  if [ ! -d "$place" ]; then
    mkdir -p "$cache"
    exec {lock}>"$place.lock"
    flock "$lock"
    [ -d "$place" ] || {
      say "making $1 (its log: $place.log)"
      rm -rf "$place.partial"
      mkdir "$place.partial"
      if ! "${@:2}" "$place.partial" >"$place.log" 2>&1 {lock}>&-; then
        tail -n 20 "$place.log" >&2
        rm -rf "$place.partial"
        die "$1 could not be made"
      fi
      mv "$place.partial" "$place"
      say "made $1 in $((SECONDS - started)) s"
    }
    exec {lock}>&-
  fi
  echo "$place"
}
