# Runs containers under Podman or Docker: one of theirs for each attempt of each of the pod's, named
# by the job and removed at its end. Docker, known by the program's name, takes fewer options.

# Leaves in `engine` how the program is called.
find_engine() {
  engine=() is_docker=0
  find_program "$podman"
  [[ -x $program ]] || return
  engine=("$program" --log-level error)
  [[ ${program##*/} != docker* ]] || is_docker=1
  [[ -n $podman_url ]] || return 0
  if ((is_docker)); then engine+=(--host "$podman_url"); else engine+=(--url "$podman_url"); fi
}

prepare_runtime() {
  local boot=''
  if ! find_engine; then
    problem="there is no $podman at this pool"
    return
  fi
  unset -v NOTIFY_SOCKET LISTEN_FDS LISTEN_PID LISTEN_FDNAMES # Containers would get them.
  write_hosts
  read -r boot </proc/sys/kernel/random/boot_id
  find_birth "$$"
  # Whose the containers are, for a script that finds them later: see remove_orphans.
  owner=$boot/$(exec readlink /proc/self/ns/pid)/$$/$born
  ((!shares_memory)) || make_shared_memory
  [[ -z $fs_group || $EUID != 0 ]] || give_volumes
}

# As the kubelet does it: the volumes' group may read them and write, and what is made there has it.
give_volumes() {
  local folders=()
  [[ ! -d volumes ]] || folders+=(volumes)
  [[ ! -d files ]] || folders+=(files)
  [[ -z $memory_root ]] || folders+=("$memory_root")
  ((${#folders[@]})) || return 0
  chgrp -R -- "$fs_group" "${folders[@]}" && chmod -R -- g+rX "${folders[@]}" &&
    find "${folders[@]}" -mindepth 1 -type d -exec chmod g+ws {} + ||
    problem="cannot give the volumes to group $fs_group"
}

# Beside the network, containers of a pod share POSIX shared memory.
make_shared_memory() {
  if [[ -z $memory_root ]]; then
    make_memory_folders podferry.shm
  else
    (umask 0 && mkdir -m 1777 -- "$memory_root/podferry.shm") ||
      problem="cannot make $memory_root/podferry.shm"
  fi
}

# Leaves in `engine_name` what a container is called there.
name_in_engine() {
  engine_name=$default_sandbox.${names[$1]}.${restarts[$1]}
}

run_container() {
  local command=() args=() env=() workdir='' tty=0 read_only_root=0 privileged=0 added='' dropped=''
  local run_as_user='' run_as_group='' groups=() must_not_be_root=0 no_new_privileges=0
  local mount_paths=() mount_roots=() mount_subs=() mount_modes=() options=()
  local files=$sandbox/run/${names[container]} engine_name engine_cgroup='' kill_count='' gpus=''
  local image=${image_place[container]} user_of_image='' workdir_of_image=''
  "container_$container"
  name_in_engine "$container"
  { read -r _ && read -r _ && read -r user_of_image && read -r workdir_of_image; } <"$files.image"
  add_options
  printf '%s\n' "$engine_name" >"$files.engine" || cannot_create "cannot write $files.engine"
  cd /
  if must_make_workdir; then
    run_with_workdir
  else
    call_engine run --sig-proxy=false "${options[@]}" "$image" "${command[@]:1}" "${args[@]}"
  fi
  settle_engine "$?"
}

# Kubernetes makes a working directory that the image lacks, Docker too, Podman does not.
must_make_workdir() {
  local i
  ((!is_docker && EUID == 0)) && [[ -z $podman_url && -n $workdir && $workdir != / ]] || return
  [[ $workdir != "$workdir_of_image" ]] || return
  for ((i = 0; i < ${#mount_paths[@]}; i++)); do
    [[ $workdir/ != "${mount_paths[i]}"/* ]] || return
  done
}

# Not past a link: it would lead to the host's folders. Such a container fails in Podman's words.
make_folders() {
  local rest=${2#/} part
  cd -P -- "$1" || return
  while [[ -n $rest ]]; do
    part=${rest%%/*} rest=${rest#"${rest%%/*}"}
    rest=${rest#/}
    [[ ! -L ./$part ]] || return
    [[ -d ./$part ]] || mkdir -- "./$part" || return
    cd -P -- "./$part" || return
  done
}

run_with_workdir() {
  local root start=(start --attach --sig-proxy=false)
  call_engine create "${options[@]}" "$image" "${command[@]:1}" "${args[@]}" >/dev/null || return
  root=$("${engine[@]}" mount "$engine_name") && (make_folders "$root" "$workdir")
  "${engine[@]}" umount "$engine_name" >/dev/null
  ((!stdins[container])) || start+=(--interactive)
  "${engine[@]}" "${start[@]}" "$engine_name"
}

# What is to be known of a container that has ended is asked before it is removed. 125 to 127 are also
# the program's own: then it never started.
settle_engine() {
  local status=$1 began=now
  ((status < 125 || status > 127)) ||
    began=$("${engine[@]}" inspect --format '{{.State.StartedAt}}' "$engine_name" 2>/dev/null)
  [[ $began != [1-9n]* ]] || printf '%s\n' "${restarts[container]}" >"$files.created"
  if ((status && memory_limits[container])) && was_killed_for_memory; then
    printf 'killed -\n' >>"$files.cgroup"
  fi
  "${engine[@]}" rm --force --volumes "$engine_name" >/dev/null 2>&1
  [[ -z $engine_cgroup ]] || remove_engine_cgroup
  exit "$status"
}

was_killed_for_memory() {
  local key value
  if [[ -z $kill_count ]]; then
    [[ $("${engine[@]}" inspect --format '{{.State.OOMKilled}}' "$engine_name" 2>/dev/null) == true ]]
    return
  fi
  while read -r key value; do
    [[ ($key == oom_kill && $value != 0) || (-z $value && $key != 0) ]] && return
  done 2>/dev/null <"$kill_count"
  return 1
}

# In every hierarchy of v1; the folders below it first, which Podman's monitor leaves a moment later.
remove_engine_cgroup() {
  local round folder folders
  for ((round = 0; round < 40; round++)); do
    folders=()
    for folder in "$cgroup_root"{,/*}/"$engine_cgroup"{/*,}; do
      [[ ! -d $folder ]] || folders+=("$folder")
    done
    ((${#folders[@]})) || return
    rmdir -- "${folders[@]}" 2>/dev/null && return
    sleep 0.05
  done
}

was_created() {
  local attempt=''
  [[ ! -e run/${names[$1]}.created ]] || read -r attempt <"run/${names[$1]}.created"
  [[ $attempt == "${restarts[$1]}" ]]
}

# Signals container i, in the background. One that is not there yet will be, or its process here
# ends. signal_engine <i> <signal>
signal_engine() {
  local engine_name pid=${pids[$1]}
  name_in_engine "$1"
  (
    exec {life}>&- 8>&-
    trap '' TERM INT HUP
    until "${engine[@]}" kill --signal "$2" "$engine_name" || ! kill -0 "$pid"; do sleep 0.1; done
  ) >/dev/null 2>&1 &
}

terminate_container() {
  local stop_signal=${stop_signals[$1]:-}
  [[ -n $stop_signal ]] ||
    { read -r _ && read -r _ && read -r _ && read -r _ && read -r stop_signal; } <"run/${names[$1]}.image"
  signal_engine "$1" "${stop_signal:-TERM}"
}

# Asked every 0.2 s until it is gone: once a second is enough.
kill_container() {
  ((now >= ${next_kill[$1]:-0})) || return 0
  next_kill[$1]=$((now + 100))
  signal_engine "$1" KILL
}

# enter_container <i> <argument>... A container takes a moment to come to be.
enter_container() {
  local engine_name status running=$sandbox/run/${names[$1]}.running.${restarts[$1]} pid=${pids[$1]}
  name_in_engine "$1"
  shift
  until [[ -e $running ]]; do
    if [[ $("${engine[@]}" inspect --format '{{.State.Running}}' "$engine_name" 2>/dev/null) == true ]]; then
      : >"$running"
    elif ! kill -0 "$pid" 2>/dev/null; then
      echo 'the container has ended'
      return 128
    else
      sleep 0.1
    fi
  done
  "${engine[@]}" exec "$engine_name" "$@"
  status=$?
  ((status != 125)) || status=128
  return "$status"
}
