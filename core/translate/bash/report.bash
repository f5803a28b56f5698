# Writes down what happens: the files that sandbox.h promises.

# The distance from the boot clock to the wall clock is asked for again when somebody set the clock.
check_wall_clock() {
  local seconds date
  read_clock
  if [[ -n $wall_offset ]]; then
    printf -v seconds '%(%s)T' -1
    seconds=$((seconds - (now + wall_offset) / 100))
    ((seconds < -1 || seconds > 1)) || return 0
  fi
  date=$(date +%s.%N)
  # A signal to all of our group ends it, too: whole seconds will do.
  [[ $date =~ ^[0-9]+[.][0-9]{9}$ ]] || printf -v date '%(%s)T.000000000' -1
  date=${date%???????}
  read_clock
  wall_offset=$((10#${date/./} - now))
}

to_wall() {
  local t=$(($1 + wall_offset))
  printf -v wall '%d.%02d' $((t / 100)) $((t % 100))
}

escape() {
  escaped=${1//'%'/%25}
  escaped=${escaped//$'\n'/%0A}
}

write_own_pid() {
  local boot=''
  read -r boot </proc/sys/kernel/random/boot_id
  find_birth "$$"
  printf '%s %s %s\n' "$boot" "$$" "$born" >run/script.pid && mv -f -- run/script.pid script.pid
}

print_end() {
  local i=$1 prefix=$2
  escape "${message[i]}"
  printf '%s\n' "${prefix}reason=${reason[i]}" "${prefix}message=$escaped" \
    "${prefix}exit=${code[i]}" "${prefix}signal=${signal[i]}"
  ((started[i])) || return 0
  to_wall "${started[i]}"
  printf '%s\n' "${prefix}started=$wall"
  to_wall "${finished[i]}"
  printf '%s\n' "${prefix}finished=$wall"
}

print_status() {
  local i=$1 is_ready=0
  printf 'state=%s\nrestarts=%s\n' "${state[i]}" "${restarts[i]}"
  case ${state[i]} in
    waiting)
      escape "${message[i]}"
      printf 'reason=%s\nmessage=%s\n' "${reason[i]}" "$escaped"
      ;;
    running)
      to_wall "${started[i]}"
      printf 'started=%s\n' "$wall"
      ((!starting[i])) || printf 'starting=1\n'
      is_ready=${ready[i]}
      ;;
    terminated)
      print_end "$i" ''
      [[ ${roles[i]} == init && ${code[i]} == 0 ]] && is_ready=1
      ;;
  esac
  [[ -z ${image_id[i]-} ]] || printf 'image_id=%s\n' "${image_id[i]}"
  printf 'ready=%s\n%s' "$is_ready" "${last_state[i]}"
}

# Writes the status files that changed, all with one rename. What fails (on a full disk files come up
# empty) is tried again.
flush() {
  local i file files=() written=()
  [[ -z $leader ]] || follow_leader
  for ((i = 0; i < count; i++)); do
    ((dirty[i])) || continue
    file=run/status/${names[i]}
    print_status "$i" >"$file" && [[ -s $file ]] && files+=("$file") && written+=("$i")
  done
  ((${#files[@]} > 0)) || return
  mv -f -- "${files[@]}" status/ || return
  for i in "${written[@]}"; do dirty[i]=0; done
}

write_mark() {
  to_wall "$2"
  printf '%s %s\n' "$wall" "$3" >>"logs/${names[$1]}/${restarts[$1]}.marks"
}

# All writers share the log's open file, so that its position is the log's size.
sample_log() {
  local i=$1 position=''
  { read -r _ position; } <"/proc/$$/fdinfo/${log_fds[i]}"
  [[ $position != "${log_sizes[i]}" || $2 == always ]] || return 0
  log_sizes[i]=$position
  write_mark "$i" "$now" "$position"
}

first_report() {
  local i
  check_wall_clock
  write_own_pid
  for ((i = 0; i < count; i++)); do
    ((started[i])) && write_mark "$i" "${started[i]}" 0
  done
}

# The first container that failed says how the job ended.
write_finished() {
  local i why=Completed words=''
  final_code=0
  for ((i = 0; i < count; i++)); do
    [[ ${roles[i]} != sidecar ]] || continue
    ((code[i] != 0)) || continue
    final_code=${code[i]} why=Error words="container ${names[i]#*.} ended with exit code ${code[i]}"
    [[ ${reason[i]} == OOMKilled ]] && why=OOMKilled
    [[ -z ${message[i]} ]] || words+=": ${message[i]}"
    break
  done
  if [[ $stop_reason == DeadlineExceeded ]]; then
    why=DeadlineExceeded words=$stop_words
    ((final_code)) || final_code=143
  elif [[ $stop_reason == Evicted ]]; then
    why=Evicted words=$stop_words
    ((final_code)) || final_code=137
  elif ((stopping && final_code)); then
    words="$stop_words; $words"
  fi
  escape "$words"
  printf 'exit=%s\nreason=%s\nmessage=%s\n' "$final_code" "$why" "$escaped" >finished.new
  mv -f -- finished.new finished || mv -f -- finished.new finished
}
