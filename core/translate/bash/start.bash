# Starts containers. It stands before all that watches them, so that the first can set out while bash
# still reads the rest.
#
# Times are hundredths of a second since boot (a builtin can read them) until they are written down.
# Events arrive on a pipe, fd 8: "end <i> <attempt>" when container i and its log are complete,
# "stop" when a signal asked for the end, and those of images, probes and hooks. Arrays are indexed
# by container, in the order of the spec;
# phase is idle, fetching, fetch_back_off, running, back_off, ended, or follows (see leader.bash).
count=${#names[@]}
phase=() state=() reason=() message=() started=() finished=() code=() signal=()
restarts=() retry_at=() back_off=() last_state=() pids=() log_fds=() log_sizes=() killed=() lost=() dirty=()
ready=() starting=() hook=() stop_step=() kill_at=() death=() must_return=()
garbage=()
next=0 stopping=0 ending_sidecars=0 now=0 next_tick=0 ticks=0 deadline_at=0
stop_reason='' stop_words='' problem='' problem_reason=CreateContainerConfigError wall_offset='' memory_root=''

read_clock() {
  local up=''
  read -r up _ </proc/uptime
  now=$((10#${up/./}))
}

# How often the kernel killed for memory in our cgroup; empty where it does not say.
count_oom_kills() {
  local line='' key value
  oom_kills=''
  { read -r line; } <"/proc/$$/cgroup"
  [[ -r /sys/fs/cgroup${line#0::}/memory.events ]] || return 0
  while read -r key value; do
    [[ $key == oom_kill ]] && oom_kills=$value
  done <"/sys/fs/cgroup${line#0::}/memory.events"
}

# Leaves the exit code in `status`; a signal to the script does not cut the waiting short.
wait_for() {
  while :; do
    interrupted=0
    wait "$1"
    status=$?
    ((interrupted)) || return 0
  done
}

# When a process started, in `born`: with its pid it names it for ever. Empty if it is gone.
find_birth() {
  local stat=''
  born=''
  { read -r stat <"/proc/$1/stat"; } 2>/dev/null
  [[ ${stat##*) } =~ ^([^ ]+ ){19}([0-9]+) ]] && born=${BASH_REMATCH[2]}
}

# Has the process group of that leader killed if the script is killed.
guard_group() {
  find_birth "$1"
  printf '%s %s\n' "$1" "$born" >"$sandbox/run/${names[$2]}.group"
}

# Folders outside of the sandbox that go with the script, however it ends.
add_garbage() {
  garbage+=("$@")
  printf '%s\n' "$@" >>"$sandbox/run/garbage"
}

# A process that outlives the script, if only by seconds. bubblewrap asks the kernel to end it with
# its parent, but not all of its processes ask early enough. The guard's stdin ends with the script.
guard() {
  local file leader birth round
  trap '' TERM INT HUP
  if [[ -n ${guards_engine-} ]]; then
    read -r -t 2 _ && return
    (($? <= 128)) || remove_orphans
  fi
  read -r _ && return # It says so when it ends by itself.
  [[ -z ${guards_engine-} ]] || remove_containers
  for ((round = 0; round < 40; round++)); do
    for file in run/*.group; do
      { read -r leader birth <"$file"; } 2>/dev/null || continue
      # While a group has members, nobody else gets its number, whether its leader lives or not.
      find_birth "$leader"
      [[ -n $born && $born != "$birth" ]] || kill -KILL -- "-$leader"
    done 2>/dev/null
    read -r -t 0.05 -u 8 _ # Nobody writes there any more: a pause.
  done
  [[ ! -e run/fuse_places ]] || unmount_all lazy
  [[ -z ${cgroup_root-} ]] || remove_cgroups
  { mapfile -t garbage <run/garbage; } 2>/dev/null && rm -rf --one-file-system -- "${garbage[@]}"
}

pump_log() {
  trap '' TERM INT HUP
  exec {life}>&-
  cat
  printf 'end %s\n' "$1" >&8
}

# Runs in the process that becomes the container: nothing of the script's may stay open in it, but
# the one given, if it is not 0.
close_files() {
  local path fd keep=$1
  for path in "/proc/$BASHPID/fd/"*; do
    fd=${path##*/}
    ((fd > 2 && fd != 255 && fd != keep)) && exec {fd}>&-
  done
}

# Ends that process before the container exists, with the words for its status.
cannot_create() {
  printf '%s' "$1" >"$sandbox/run/${names[container]}.error"
  exit 128
}

start_container() {
  local i=$1 fd pipe
  ((!has_images)) || image_is_ready "$i" || return 0
  ((!has_messages)) || empty_message "$i"
  exec {fd}>>"logs/${names[i]}/${restarts[i]}.log"
  exec {pipe}> >(pump_log "$i ${restarts[i]}" >&"$fd")
  set -m # A process group of its own: signals for the script's are not for the container.
  (
    set +m
    trap - TERM INT HUP
    container=$i
    ((!stdins[container])) || exec <&6
    close_files 0
    umask 022
    guard_group "$BASHPID" "$i"
    read -r stat <"/proc/$BASHPID/stat"
    [[ ${stat##*) } =~ ^.\ $$\  ]] || exit # The script is gone already.
    run_container
  ) >&"$pipe" 2>&1 &
  pids[i]=$!
  set +m
  exec {pipe}>&-
  read_clock
  log_fds[i]=$fd log_sizes[i]=0 started[i]=$now finished[i]=0 killed[i]=0 lost[i]=0
  ready[i]=1 starting[i]=0 hook[i]='' stop_step[i]='' kill_at[i]=0 death[i]='' must_return[i]=0
  phase[i]=running state[i]=running dirty[i]=1
  ((!has_care)) || on_container_started "$i"
  [[ -z $wall_offset ]] || write_mark "$i" "$now" 0
}

# Starts whatever may start now: an init container holds up those behind it until it is done, a
# sidecar until it has started, any container while its postStart hook runs.
advance() {
  while ((next < count)); do
    [[ ${phase[next]} == idle ]] && start_container "$next"
    case ${roles[next]}:${phase[next]} in
      *:follows | init:ended) ;;
      init:*) return ;;
      sidecar:running) ((!starting[next])) || return ;;
      sidecar:*) return ;;
      *) [[ ${hook[next]} != post_start ]] || return ;;
    esac
    ((next += 1))
  done
}

# The first thing to happen: files, and whatever container may start at once.
begin() {
  local i
  cd -P -- "$sandbox" || exit 1
  sandbox=$PWD
  exec 8<> <(:)
  [[ ${stdins[*]} != *1* ]] || exec 6<> <(:) # An open stdin that nobody writes to.
  exec {life}> >(guard)
  read_clock
  next_tick=$((now + 20))
  ((deadline)) && deadline_at=$((now + deadline * 100))
  count_oom_kills
  known_oom_kills=$oom_kills
  for ((i = 0; i < count; i++)); do
    phase[i]=idle state[i]=waiting reason[i]=PodInitializing message[i]='' dirty[i]=1 restarts[i]=0
    retry_at[i]=0 back_off[i]=0 last_state[i]='' killed[i]=0 code[i]=0 signal[i]=0
    started[i]=0 finished[i]=0 ready[i]=0 starting[i]=0 hook[i]='' stop_step[i]='' kill_at[i]=0
    death[i]='' must_return[i]=0
    [[ -z $leader || $i == "$leader" ]] || phase[i]=follows
  done
  write_files
  umask 077
  [[ -n $problem ]] || prepare_volumes
  [[ -n $problem ]] || prepare_runtime
  [[ -n $problem ]] || ((!has_care)) || prepare_actions
  [[ -n $problem ]] || ((stop_requested)) || advance
}
