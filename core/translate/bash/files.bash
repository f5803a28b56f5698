# Writes the pod's data below the sandbox. What goes wrong is left in `problem`.
# put <path> <text>, and put_bytes <path> <bytes with octal escapes>, under the umask of the time.
put() {
  printf '%s' "$2" >"$1" || words=$(printf '%s' "$2" 2>&1 >"$1") || cannot_write "$1"
}
put_bytes() {
  printf '%b' "$2" >"$1" || words=$(printf '%b' "$2" 2>&1 >"$1") || cannot_write "$1"
}
# What failed is tried once more, to have the system's own words: on a full disk there is no file for
# them. What was written of it goes, so that there is room for a status file.
cannot_write() {
  problem=${problem:-cannot write $1: ${words##*: }}
  rm -rf -- "$1"
}
set_mode() {
  chmod -- "$@" || problem="cannot set the mode $1"
}

# In memory, below a folder that nobody else may enter.
make_memory_folders() {
  memory_root=/dev/shm/$default_sandbox.$$
  add_garbage "$memory_root"
  if ! mkdir -m 700 -- "$memory_root" || ! (cd -- "$memory_root" && mkdir -m 777 -- "$@"); then
    problem="cannot make $memory_root"
  fi
}
