# Writes the pod's data below the sandbox. What goes wrong is left in `problem`.
# put <path> <text>, and put_bytes <path> <bytes with octal escapes>, under the umask of the time.
put() {
  printf '%s' "$2" >"$1" || problem="cannot write $1"
}
put_bytes() {
  printf '%b' "$2" >"$1" || problem="cannot write $1"
}
set_mode() {
  chmod -- "$@" || problem="cannot set the mode $1"
}

# In memory, below a folder that nobody else may enter.
make_memory_folders() {
  memory_root=/dev/shm/$default_sandbox.$$
  if ! mkdir -m 700 -- "$memory_root" || ! (cd -- "$memory_root" && mkdir -m 777 -- "$@"); then
    problem="cannot make $memory_root"
  fi
}
