# Runs a container as processes of the pool, with nothing between them and the host: a session of
# its own, ended with its process group.
prepare_plain() {
  find_program nice
  nice=$program
}

must_not_be_root() {
  ((EUID)) || cannot_create 'the pod asks for runAsNonRoot, and this pool runs it as root'
}

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

run_plain() {
  local argv=() env=() workdir=/ assignments=() i payload
  "container_$container"
  cd -- "$workdir" || cannot_create "there is no folder $workdir at this pool"
  for ((i = 0; i < ${#env[@]}; i += 2)); do assignments+=("${env[i]}=${env[i + 1]}"); done
  set_limits
  if [[ -n $leader ]]; then
    unset -v PODFERRY_SANDBOX PODFERRY_HIDE
    setsid -- "${argv[@]}" &
  else
    setsid -- env -i -- "PATH=$container_path" "HOME=${HOME:-/}" "HOSTNAME=$hostname" \
      "${assignments[@]}" "$nice" -n 0 -- "${argv[@]}" &
  fi
  payload=$!
  guard_group "$payload"
  trap : TERM INT HUP
  interrupted=0
  until wait "$payload"; status=$?; ! kill -0 "$payload" 2>/dev/null; do :; done
  kill -KILL -- "-$payload" 2>/dev/null
  exit "$status"
}

was_created_plain() {
  :
}

signal_plain() {
  find_children "${pids[$2]}"
  if ((${#children[@]} == 0)); then
    kill -KILL "${pids[$2]}" 2>/dev/null
  else
    kill -s "$1" -- "-${children[0]}" 2>/dev/null
  fi
}
terminate_plain() {
  signal_plain TERM "$1"
}
kill_plain() {
  signal_plain KILL "$1"
}

# A limit for each process, not for their sum. Not on the address space: Go reserves far more of
# that than it uses.
set_limits() {
  ((memory_limits[container] == 0)) || ulimit -d "${memory_limits[container]}"
}
