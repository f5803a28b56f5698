# Commands of the pod's that run at the pool, outside of its containers: each in a session of its own,
# ended with the script.
exec {pause}<> <(:) # Nobody writes to it.
beside_pids=()

# start_beside <name> <command>...: its words go to run/<name>.log, its pid is left in `beside`.
start_beside() {
  local name=$1
  shift
  (
    trap - TERM INT HUP
    close_files 0
    umask 022
    cd / || exit
    PATH=$commands_path exec setsid -- "$@"
  ) >"run/$name.log" 2>&1 &
  beside=$!
  beside_pids+=("$beside")
  find_birth "$beside"
  printf '%s %s\n' "$beside" "$born" >"run/$name.group"
}

# How a command ended, in `words`: with the last it had to say.
tell_end() {
  local text='' status
  wait "$2" 2>/dev/null
  status=$?
  IFS= read -r -d '' text <"run/$1.log"
  ((${#text} <= 1000)) || text=${text:${#text}-1000}
  text=${text%$'\n'}
  words="ended with exit code $status${text:+: $text}"
}

# Whether what goes before the containers must be left alone: the job is to end.
is_called_off() {
  read_clock
  ((stop_requested || (deadline_at && now >= deadline_at)))
}

run_before() {
  local words
  start_beside "$1" "$sandbox/$2"
  while kill -0 "$beside" 2>/dev/null; do
    is_called_off && return
    read -r -t 0.05 -u "$pause" _
  done
  beside_pids=()
  wait "$beside" 2>/dev/null && return
  tell_end "$1" "$beside"
  problem="the pod's $1 command $words" problem_reason=CreateContainerError
}

run_beside() {
  [[ -n $problem ]] || start_beside "$1" "$sandbox/$2"
}

end_beside() {
  local pid round
  for pid in "${beside_pids[@]}"; do kill -TERM -- "-$pid" 2>/dev/null; done
  for ((round = 0; round < 40; round++)); do
    for pid in "${beside_pids[@]}"; do
      kill -0 -- "-$pid" 2>/dev/null && read -r -t 0.05 -u "$pause" _ && break
    done
  done
  for pid in "${beside_pids[@]}"; do
    kill -KILL -- "-$pid"
    wait "$pid"
  done 2>/dev/null
}
