# Ends containers as the kubelet does it: the preStop hook, the signal, and SIGKILL when the grace is
# over, of which the hook is a part. stop_step says how far a container has come: hook, turn (it
# waits for others to end first) or signalled; kill_at is when its patience ends, 0 if nobody asked.

# Asks every container to end.
stop_all() {
  ((stopping)) && return
  stopping=1 stop_reason=$1 stop_words=$2
  give_up 143 "$1" "$2"
  stop_containers
}

# All preStop hooks begin at once.
stop_containers() {
  local i
  read_clock
  for ((i = count - 1; i >= 0; i--)); do
    [[ ${phase[i]} != running ]] || stop_container "$i" "$grace"
  done
}

# stop_container <i> <seconds of grace>
stop_container() {
  local i=$1 until=$((now + $2 * 100))
  ((kill_at[i] && kill_at[i] < until)) || kill_at[i]=$until
  ((!killed[i])) || return 0
  killed[i]=1
  if (($2 == 0)); then
    kill_container "$i"
  elif ((has_care)) && has_pre_stop "$i"; then
    drop_hook "$i"
    stop_step[i]=hook
    run_hook "$i" pre_stop
  elif must_wait "$i"; then
    stop_step[i]=turn
  else
    stop_step[i]=signalled
    terminate_container "$i"
  fi
}

# At the end of the job sidecars get their signal after the others, from the last to the first.
must_wait() {
  local i
  [[ ${roles[$1]} == sidecar ]] && ((stopping || ending_sidecars)) || return 1
  for ((i = $1 + 1; i < count; i++)); do [[ ${phase[i]} == running ]] && return; done
  return 1
}

# Signals those whose hook has ended and whose turn it is.
take_turns() {
  local i
  for ((i = 0; i < count; i++)); do
    [[ ${phase[i]} == running ]] || continue
    [[ ${stop_step[i]} == turn || ${stop_step[i]} == hook && -z ${hook[i]} ]] || continue
    if must_wait "$i"; then stop_step[i]=turn; else signal_late "$i"; fi
  done
}

# Whatever was waited for: two seconds are left between the signal and SIGKILL.
signal_late() {
  stop_step[$1]=signalled
  ((kill_at[$1] > now + 200)) || kill_at[$1]=$((now + 200))
  terminate_container "$1"
}

on_grace_over() {
  if [[ -z ${stop_step[$1]} || ${stop_step[$1]} == signalled ]]; then
    kill_container "$1"
  else
    ((!has_care)) || drop_hook "$1"
    signal_late "$1"
  fi
}

# Once the others are done, sidecars end, too. True when none is left.
sidecars_are_done() {
  local i
  if ((!ending_sidecars)); then
    ending_sidecars=1
    give_up 0 Completed 'the other containers have ended'
    ((stopping)) || stop_containers
  fi
  for ((i = 0; i < count; i++)); do [[ ${phase[i]} == running ]] && return 1; done
  return 0
}
