# What every runtime's piece needs to know of the pool: its programs, processes and limits.

# Leaves a program's path in `program`, without a fork.
find_program() {
  program=$1
  [[ $1 == */* ]] && return
  hash -- "$1" 2>/dev/null
  program=${BASH_CMDS[$1]-}
}

# The children of a process, oldest first, in `children`.
find_children() {
  local line path
  children=()
  if [[ -e /proc/$$/task/$$/children ]]; then
    { read -r -a children <"/proc/$1/task/$1/children"; } 2>/dev/null
    return
  fi
  for path in /proc/[0-9]*/stat; do
    { read -r line <"$path"; } 2>/dev/null || continue
    [[ ${line##*) } =~ ^.\ $1\  ]] && path=${path%/stat} && children+=("${path#/proc/}")
  done
}

# A limit for each process, not for their sum. Not on the address space: Go reserves far more of
# that than it uses.
set_limits() {
  ((memory_limits[container] == 0)) || ulimit -d "${memory_limits[container]}"
}

refuse_root() {
  ((!must_not_be_root || EUID)) ||
    cannot_create 'the pod asks for runAsNonRoot, and this pool runs it as root'
}
