# Startup, liveness and readiness probes, as the kubelet runs them. Arrays are indexed by probe:
# probe_at is when the next run is due (0: none is), probe_until when the one that goes on is killed
# (0: none goes on). Times are hundredths of a second since boot.
probe_at=() probe_until=() probe_runs=() probe_last=() probe_streak=() probe_actions=()

# A container that has started, its postStart hook done: without a startup probe it counts as
# started, without a readiness probe as ready.
begin_probes() {
  local i=$1 n
  starting[i]=0 ready[i]=1 dirty[i]=1
  for ((n = 0; n < ${#probe_of[@]}; n++)); do
    [[ ${probe_of[n]} == "$i" ]] || continue
    probe_at[n]=0 probe_until[n]=0 probe_last[n]='' probe_streak[n]=0
    [[ ${probe_kinds[n]} == liveness ]] || ready[i]=0
    [[ ${probe_kinds[n]} == startup ]] || continue
    starting[i]=1 probe_at[n]=$((started[i] + probe_delays[n]))
  done
  ((starting[i])) || begin_other_probes "$i"
}
begin_other_probes() {
  local i=$1 n
  read_clock
  ready[i]=1
  for ((n = 0; n < ${#probe_of[@]}; n++)); do
    [[ ${probe_of[n]} == "$i" && ${probe_kinds[n]} != startup ]] || continue
    probe_at[n]=$((started[i] + probe_delays[n]))
    ((probe_at[n] > now)) || probe_at[n]=$now
    [[ ${probe_kinds[n]} == liveness ]] || ready[i]=0
  done
}

end_probes() {
  local n
  for ((n = 0; n < ${#probe_of[@]}; n++)); do
    [[ ${probe_of[n]} == "$1" ]] || continue
    probe_at[n]=0
    ((!probe_until[n])) || kill_action "probe.$n" "${probe_actions[n]}"
    probe_until[n]=0
  done
}

# Runs what is due and kills what takes too long.
tick_probes() {
  local n i
  for ((n = 0; n < ${#probe_of[@]}; n++)); do
    i=${probe_of[n]}
    if ((probe_until[n])); then
      ((now >= probe_until[n])) || continue
      kill_action "probe.$n" "${probe_actions[n]}"
      note_probe "$n" failed "timed out after ${probe_seconds[n]} s"
    elif ((probe_at[n] && now >= probe_at[n])) && [[ ${phase[i]} == running ]]; then
      # What is to end anyway may be as dead as it likes.
      ((killed[i] || stopping)) && [[ ${probe_kinds[n]} != readiness ]] && continue
      ((probe_runs[n] += 1))
      allowed=${probe_seconds[n]}
      start_action "probe.$n" "probe $n ${probe_runs[n]}" "probe_$n"
      probe_actions[n]=$action probe_until[n]=$((now + probe_timeouts[n]))
    fi
  done
}

handle_probe() {
  local words=''
  ((probe_until[$1])) && [[ ${probe_runs[$1]} == "$2" ]] || return 0
  forget_action "probe.$1"
  read_clock
  [[ $3 == ok ]] || read_words "probe.$1"
  note_probe "$1" "$3" "$words"
}

# note_probe <probe> <ok or failed> <words>
note_probe() {
  local n=$1 i=${probe_of[$1]}
  probe_until[n]=0
  probe_at[n]=$((probe_at[n] + probe_periods[n]))
  ((probe_at[n] > now)) || probe_at[n]=$now
  [[ ${probe_last[n]} == "$2" ]] || probe_streak[n]=0
  probe_last[n]=$2
  ((probe_streak[n] += 1))
  if [[ $2 == ok ]]; then
    ((probe_streak[n] < probe_successes[n])) || probe_has_passed "$n" "$i"
  else
    ((probe_streak[n] < probe_failures[n])) || probe_has_failed "$n" "$i" "$3"
  fi
}

probe_has_passed() {
  case ${probe_kinds[$1]} in
    startup)
      probe_at[$1]=0 starting[$2]=0 dirty[$2]=1
      begin_other_probes "$2"
      ;;
    readiness) ((ready[$2])) || ready[$2]=1 dirty[$2]=1 ;;
  esac
}

probe_has_failed() {
  local i=$2 kind=${probe_kinds[$1]} seconds=${probe_graces[$1]}
  if [[ $kind == readiness ]]; then
    ((!ready[i])) || ready[i]=0 dirty[i]=1
    return
  fi
  probe_at[$1]=0
  death[i]="Container ${names[i]#*.} failed $kind probe"
  if [[ $restart_policy != Never || ${roles[i]} == sidecar ]]; then
    must_return[i]=1
    death[i]+=', will be restarted'
  fi
  [[ -z $3 ]] || death[i]+=": $3"
  ((seconds >= 0)) || seconds=$grace
  stop_container "$i" "$seconds"
}
