# postStart and preStop hooks: run in the container beside its own process, and waited for.
hook_actions=() hook_runs=()

# A container has started when its postStart hook is done; until then nobody probes it.
on_container_started() {
  if ((post_starts[$1])); then
    starting[$1]=1 ready[$1]=0
    run_hook "$1" post_start
  else
    begin_probes "$1"
  fi
}
on_container_ended() {
  drop_hook "$1"
  end_probes "$1"
}

has_pre_stop() {
  ((pre_stops[$1]))
}

# "probe <n> <run> <ok or failed>" or "hook <container> <run> <ok or failed>": an event.
handle_care() {
  local kind=${1%% *} result=${1##* } number=${1#* } run
  run=${number#* } number=${number%% *}
  run=${run%% *}
  if [[ $kind == probe ]]; then
    handle_probe "$number" "$run" "$result"
  else
    handle_hook "$number" "$run" "$result"
  fi
}

# run_hook <container> <post_start or pre_stop>
run_hook() {
  local i=$1
  hook[i]=$2
  ((hook_runs[i] += 1))
  allowed=0
  start_action "hook.$i" "hook $i ${hook_runs[i]}" "$2_$i"
  hook_actions[i]=$action
}

drop_hook() {
  [[ -n ${hook[$1]} ]] || return 0
  kill_action "hook.$1" "${hook_actions[$1]}"
  hook[$1]=''
}

handle_hook() {
  local i=$1 kind=${hook[$1]} words
  [[ -n $kind && ${hook_runs[i]} == "$2" ]] || return 0
  forget_action "hook.$i"
  hook[i]=''
  read_clock
  if [[ $kind == pre_stop ]]; then
    : # Failed or not, the signal comes next: see take_turns.
  elif [[ $3 == ok ]]; then
    begin_probes "$i"
  else
    read_words "hook.$i"
    death[i]="FailedPostStartHook: $words"
    stop_container "$i" "$grace"
  fi
}
