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

# For the process that becomes the container; see memory.bash, which is there if any has limits.
set_limits() {
  ((memory_limits[container] + cpu_limits[container] == 0)) || limit_container
}

refuse_root() {
  ((!must_not_be_root || EUID)) ||
    cannot_create 'the pod asks for runAsNonRoot, and this pool runs it as root'
}

# Who a process of the pool becomes, where the script is root and the pod names a user or groups:
# leaves in `become` what stands before its command.
find_user() {
  local list
  become=()
  if [[ -z $run_as_user$run_as_group${groups[*]} ]] || ((EUID)); then
    refuse_root
    return
  fi
  ((!must_not_be_root)) || [[ ${run_as_user:-0} != 0 ]] ||
    cannot_create 'the pod asks for runAsNonRoot, and does not say as whom'
  find_program setpriv
  [[ -x $program ]] || cannot_create 'there is no setpriv at this pool to run a container as another user'
  printf -v list '%s,' "${groups[@]}"
  become=("$program" --reuid "${run_as_user:-0}" --regid "${run_as_group:-0}")
  if ((${#groups[@]})); then become+=(--groups "${list%,}"); else become+=(--clear-groups); fi
  become+=(--)
  # So that /dev/stdout can be opened, which is our pipe.
  chown -- "${run_as_user:-0}" /proc/self/fd/1
}

# The signal that asks container <i> to end, in `stop_signal`: the pod's choice, or SIGTERM.
find_stop_signal() {
  stop_signal=${stop_signals[$1]:-15}
}
