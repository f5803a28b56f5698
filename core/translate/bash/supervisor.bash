# Watches the containers until all have ended for good: ends, restarts, stops, the deadline.

# How container i ended: code, signal, reason, message.
classify_end() {
  local i=$1 lines=()
  wait_for "${pids[i]}"
  code[i]=$status signal[i]=0 reason[i]=Completed message[i]=''
  if [[ -e run/${names[i]}.error ]]; then
    IFS= read -r -d '' 'message[i]' <"run/${names[i]}.error"
    code[i]=128 reason[i]=CreateContainerError
  elif ((code[i] <= 128 || code[i] == 255)) && ! was_created "$i"; then
    mapfile -n 5 lines <"logs/${names[i]}/${restarts[i]}.log"
    printf -v 'message[i]' '%s' "${lines[@]}"
    message[i]=${message[i]:0:1000}
    code[i]=128 reason[i]=CreateContainerError
    ((status != 126 && status != 127)) || code[i]=$status reason[i]=ContainerCannotRun
  elif ((code[i] != 0)); then
    reason[i]=Error
    ((code[i] > 128 && code[i] <= 192)) && signal[i]=$((code[i] - 128))
  fi
  [[ ! -s run/${names[i]}.cgroup ]] || settle_cgroups "$i"
  if ((signal[i] == 9 && !killed[i])); then
    count_oom_kills
    [[ $oom_kills == "$known_oom_kills" ]] || reason[i]=OOMKilled
    known_oom_kills=$oom_kills
  fi
  ((killed[i])) && [[ $stop_reason == DeadlineExceeded ]] && reason[i]=DeadlineExceeded
  [[ -z ${message[i]} ]] || return 0
  message[i]=${death[i]}
  ((!has_messages)) || read_message "$i"
}

must_restart() {
  ((stopping || ending_sidecars)) && return 1
  ((must_return[$1])) && return 0
  case ${roles[$1]}:$restart_policy in
    sidecar:* | main:Always) return 0 ;;
    *:Never) return 1 ;;
    *) ((code[$1] != 0)) ;;
  esac
}

# As the kubelet does it: the first restart follows at once, the next after a pause that doubles;
# ten minutes of running forget it.
plan_restart() {
  local i=$1
  ((finished[i] - started[i] > 60000)) && back_off[i]=0
  retry_at[i]=$((finished[i] + back_off[i]))
  back_off[i]=$((back_off[i] == 0 ? back_off_first : back_off[i] * 2))
  ((back_off[i] > back_off_limit)) && back_off[i]=$back_off_limit
  last_state[i]=$(print_end "$i" last_)$'\n'
  phase[i]=back_off state[i]=waiting reason[i]=CrashLoopBackOff
  message[i]="waits before restart $((restarts[i] + 1)), after exit code ${code[i]}${death[i]:+: ${death[i]}}"
}

on_end() {
  local i=$1 fd=${log_fds[$1]}
  [[ ${phase[i]} == running && ${restarts[i]} == "$2" ]] || return 0
  read_clock
  finished[i]=$now
  sample_log "$i" always
  exec {fd}>&-
  if ((tries_again && !stopping)) && needs_another_try "$i"; then
    wait_for "${pids[i]}"
    : >"logs/${names[i]}/${restarts[i]}.log"
    ((!has_care)) || on_container_ended "$i"
    start_container "$i"
    return
  fi
  classify_end "$i"
  phase[i]=ended state[i]=terminated dirty[i]=1
  ((!has_care)) || on_container_ended "$i"
  if must_restart "$i"; then plan_restart "$i"; else stop_after_failed_init "$i"; fi
}

stop_after_failed_init() {
  [[ ${roles[$1]} == init ]] && ((code[$1] != 0 && !stopping)) || return 0
  give_up 1 PodInitializing "init container ${names[$1]#*.} ended with exit code ${code[$1]}"
}

# give_up <code> <reason> <words>: no container starts any more.
give_up() {
  local i
  next=$count
  for ((i = 0; i < count; i++)); do
    case ${phase[i]} in
      idle | fetching | fetch_back_off)
        [[ ${phase[i]} != fetching ]] || end_fetch "$i"
        code[i]=$1 signal[i]=0 reason[i]=$2 message[i]="never started: $3"
        ;;
      back_off)
        last_state[i]='' message[i]="not started again: $3" reason[i]=Error
        ((code[i] == 0)) && reason[i]=Completed
        ;;
      *) continue ;;
    esac
    phase[i]=ended state[i]=terminated dirty[i]=1
  done
}

is_done() {
  local i
  for ((i = 0; i < count; i++)); do
    [[ ${roles[i]} != sidecar && ${phase[i]} != ended && ${phase[i]} != follows ]] && return 1
  done
  sidecars_are_done
}

restart_what_is_due() {
  local i
  for ((i = 0; i < count; i++)); do
    [[ ${phase[i]} == *back_off ]] || continue
    ((now >= retry_at[i])) || continue
    if [[ ${phase[i]} == fetch_back_off ]]; then
      start_container "$i"
      continue
    fi
    ((restarts[i] += 1))
    ((restarts[i] > 9)) && rm -f -- "logs/${names[i]}/$((restarts[i] - 10))."{log,marks}
    start_container "$i"
  done
}

handle() {
  local attempt
  case $1 in
    'end '*)
      attempt=${1##* }
      set -- "${1#end }"
      on_end "${1% *}" "$attempt"
      ;;
    'evict '*)
      ((stopping)) || grace=1 # As a kubelet gives.
      stop_all Evicted "${1#evict }"
      ;;
    'probe '* | 'hook '*) handle_care "$1" ;;
    'image '*)
      set -- "${1#image }"
      on_image "${1% *}" "${1#* }"
      ;;
    stop) stop_all Error 'the job was asked to end' ;;
  esac
}

# A container whose end was not announced (somebody killed the reader of its log) has not gone
# unnoticed after two seconds.
notice_lost() {
  if kill -0 "${pids[$1]}" 2>/dev/null; then return; fi
  ((lost[$1] += 1))
  ((lost[$1] < 2)) || on_end "$1" "${restarts[$1]}"
}

# What wants to be looked at now and then, and what costs more than a log's size only each second.
tick() {
  local i
  next_tick=$((now + 20)) ticks=$((ticks + 1))
  for ((i = 0; i < count; i++)); do
    [[ ${phase[i]} == running ]] || continue
    sample_log "$i" grown
    ((kill_at[i] == 0 || now < kill_at[i])) || on_grace_over "$i"
  done
  ((!has_care)) || tick_probes
  ((ticks % 5 == 0 || stopping)) || return 0
  check_wall_clock
  for ((i = 0; i < count; i++)); do
    [[ ${phase[i]} != fetching ]] || notice_lost_fetch "$i"
    [[ ${phase[i]} != running ]] || notice_lost "$i"
  done
  if ((deadline_at && now >= deadline_at)); then
    stop_all DeadlineExceeded "active for longer than its deadline of $deadline seconds"
  fi
}

supervise() {
  local line='' part
  while :; do
    ((stop_requested)) && handle stop
    restart_what_is_due
    advance
    take_turns
    [[ -n $wall_offset ]] || first_report
    is_done && break
    flush
    if IFS= read -r -t 0.2 -u 8 part; then
      handle "$line$part"
      line=''
    else
      line+=$part
    fi
    read_clock
    ((now < next_tick)) || tick
  done
}

main() {
  [[ -z $problem ]] || give_up 128 "$problem_reason" "$problem"
  supervise
  flush
  end_volumes
  printf 'done\n' >&"$life"
  [[ -z ${cgroup_root-} ]] || remove_cgroups
  rm -rf --one-file-system -- files run "${garbage[@]}"
  write_finished
  rm -rf --one-file-system -- volumes mounts
}
