# What Podman or Docker is told of a container: mounts, variables, user, limits.

# add_mount <source> <path> <ro or rw>. A ':' in the source would be taken for its end.
add_mount() {
  local source=$1
  if [[ $source == *:* ]]; then
    source=$files.mount.${#options[@]}
    [[ $source != *:* ]] || cannot_create "the sandbox must not have a ':' in its path: $sandbox"
    ln -sfn -- "$1" "$source" || cannot_create "cannot make $source"
  fi
  options+=(--volume "$source:$2:$3")
}

add_mounts() {
  local i source hosts=1 shm=$shares_memory
  for ((i = 0; i < ${#mount_paths[@]}; i++)); do
    find_source "${mount_roots[i]}" "${mount_subs[i]}"
    add_mount "$source" "${mount_paths[i]}" "${mount_modes[i]}"
    [[ /etc/hosts/ != "${mount_paths[i]}"/* ]] || hosts=0
    [[ /dev/shm/ != "${mount_paths[i]}"/* ]] || shm=0
  done
  ((!hosts)) || add_mount "$sandbox/run/hosts" /etc/hosts rw
  ((!shm)) || add_mount "$memory_root/podferry.shm" /dev/shm rw
}

# No variable stands on a command line. Most come from a file, a line for each; what a line cannot
# hold comes by the program's own environment (the planner refuses it under a name that means
# something there).
add_variables() {
  local i lines=() imports=()
  for ((i = 0; i < ${#env[@]}; i += 2)); do
    if [[ ${env[i]} == '#'* || "${env[i]}" == *' '* || ${env[i + 1]} == *[$'\n\r']* ]] ||
      ((${#env[i]} + ${#env[i + 1]} > 60000)); then
      [[ ${env[i]} != *'*' ]] || refuse_star "${env[i]}"
      options+=(--env "${env[i]}")
      imports+=("${env[i]}=${env[i + 1]}")
    else
      lines+=("${env[i]}=${env[i + 1]}")
    fi
  done
  umask 077
  { ((${#lines[@]} == 0)) || printf '%s\n' "${lines[@]}"; } >"$files.env" ||
    cannot_create "cannot write $files.env"
  { ((${#imports[@]} == 0)) || printf '%s\0' "${imports[@]}"; } >"$files.imports" ||
    cannot_create "cannot write $files.imports"
  umask 022
  options+=(--env-file "$files.env")
}

# A star at a name's end imports whatever begins like it.
refuse_star() {
  local name
  while read -r name; do
    [[ $name != "${1%'*'}"* ]] || cannot_create "the variable $1 would also bring the pool's own $name"
  done < <(compgen -e)
}

# Calls the program with the variables that it is to import. In a process of its own: their names
# may be those of variables here. A name that no shell knows must go by env's command line, until that
# becomes the program.
call_engine() {
  if [[ ! -s $files.imports ]]; then
    "${engine[@]}" "$@"
    return
  fi
  (
    set -- "$files.imports" "${engine[@]}" "$@"
    podferry_others=()
    while IFS= read -r -d '' podferry_variable; do
      if [[ ${podferry_variable%%=*} =~ ^[A-Za-z_][A-Za-z_0-9]*$ ]]; then
        unset -v "${podferry_variable%%=*}"
        unset -v "${podferry_variable%%=*}"
        export "${podferry_variable?}"
      else
        podferry_others+=("$podferry_variable")
      fi
    done <"$1"
    shift
    ((${#podferry_others[@]} == 0)) || exec env -- "${podferry_others[@]}" "$@"
    exec "$@"
  )
}

# The entrypoint is one word; what else the command has stands before the arguments. Podman also
# takes a list in JSON, and so must be given one where it might see one.
add_entrypoint() {
  local word=${command[0]-}
  ((${#command[@]})) || return 0
  if ((!is_docker)) && [[ -z $word || $word == null || $word == *[!A-Za-z0-9_./-]* ]]; then
    word=${word//\\/\\\\} word=${word//\"/\\\"}
    word=${word//$'\n'/\\n} word=${word//$'\t'/\\t}
    word="[\"$word\"]"
  fi
  options+=(--entrypoint "$word")
}

add_options() {
  local item
  options=(--name "$engine_name" --pull never --hostname "$hostname"
    --label "podferry.job=$job_key" --label "podferry.container=${names[container]}"
    --label "podferry.script=$owner")
  # Podman without root says in the log that v1 has no limits, even if asked for none.
  ((EUID)) && [[ ! -e /sys/fs/cgroup/cgroup.controllers ]] || options+=(--pids-limit=-1)
  ((is_docker)) || add_podman_options
  ((!is_docker)) || options+=(--log-driver none)
  add_mounts
  add_variables
  add_entrypoint
  add_user
  [[ -z $workdir ]] || options+=(--workdir "$workdir")
  ((!stdins[container])) || options+=(--interactive)
  ((!tty)) || options+=(--tty)
  ((!read_only_root)) || options+=(--read-only)
  ((!privileged)) || options+=(--privileged)
  ((!no_new_privileges)) || options+=(--security-opt no-new-privileges)
  for item in $added; do options+=(--cap-add "$item"); done
  for item in $dropped; do options+=(--cap-drop "$item"); done
  ((memory_limits[container] + cpu_limits[container] == 0)) || add_limits
  [[ -z $gpus ]] || add_gpus
  options+=("${podman_options[@]}")
}

# With the log driver `passthrough` the container writes into our pipe itself, so that what goes to
# stdout and to stderr stays in order. A terminal and a remote Podman cannot have it.
add_podman_options() {
  if ((tty)) || [[ -n $podman_url ]]; then
    options+=(--log-driver none)
  else
    options+=(--log-driver passthrough)
  fi
  options+=(--http-proxy=false)
  ((!read_only_root)) || options+=(--read-only-tmpfs=false)
}

# The GPUs that the batch system gave the job, or all. The container counts those of NVIDIA anew, from 0.
add_gpus() {
  local id name given=${CUDA_VISIBLE_DEVICES:-${NVIDIA_VISIBLE_DEVICES:-all}}
  if [[ $gpus == *nvidia* ]]; then
    if ((is_docker)); then
      if [[ $given == all ]]; then options+=(--gpus all); else options+=(--gpus "\"device=$given\""); fi
    else
      for id in ${given//,/ }; do options+=(--device "nvidia.com/gpu=$id"); done
    fi
  fi
  [[ $gpus != *amd* ]] && return
  options+=(--device /dev/kfd --device /dev/dri)
  for name in ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES GPU_DEVICE_ORDINAL; do
    [[ -z ${!name+x} ]] || options+=(--env "$name")
  done
}

# The user of the image, where it matters, is known from fetch_image.
add_user() {
  local item user=$run_as_user
  [[ -n $user ]] || user=${user_of_image%%:*}
  if ((must_not_be_root)); then
    case ${user:-0} in
      0 | root) cannot_create 'the pod asks for runAsNonRoot, and the image runs as root' ;;
      *[!0-9]*) cannot_create "the pod asks for runAsNonRoot, and whether the image's user $user is root cannot be known" ;;
    esac
  fi
  [[ -z $run_as_group ]] || user=${user:-0}:$run_as_group
  [[ -z $run_as_user$run_as_group ]] || options+=(--user "$user")
  for item in "${groups[@]}"; do options+=(--group-add "$item"); done
}

# Whether the program may use the memory controller. Root at its own machine may if anybody may;
# a daemon is asked, and so is who has no root.
has_memory_controller() {
  local controllers
  if ((EUID == 0)) && [[ -z $podman_url ]]; then
    [[ -w $cgroup_root/memory/cgroup.procs || -w $cgroup_root/cgroup.procs ]]
  elif ((is_docker)); then
    [[ $("${engine[@]}" info --format '{{.MemoryLimit}}' 2>/dev/null) == true ]]
  else
    controllers=$("${engine[@]}" info --format '{{range .Host.CgroupControllers}} {{.}} {{end}}' 2>/dev/null)
    [[ $controllers == *' memory '* ]]
  fi
}

add_limits() {
  local bytes=$((memory_limits[container] * 1024)) cpu=${cpu_limits[container]}
  if ! has_memory_controller; then
    ((bytes == 0)) || options+=(--ulimit "data=$bytes:$bytes")
    return
  fi
  if ((bytes)); then
    options+=(--memory "${bytes}b" --memory-swap "${bytes}b")
    add_cgroup "$bytes"
  fi
  ((cpu == 0)) || options+=(--cpus "$((cpu / 1000)).$(printf '%03d' $((cpu % 1000)))")
}

# Podman forgets what it is told of a kill for memory if the container ends first. Where it makes
# cgroups itself (as root, without systemd), a parent of ours keeps count: with v2 of all below it,
# with v1 of charges that failed, of which there are none before its limit, a page less, is met.
add_cgroup() {
  local parent=libpod_parent folder=$cgroup_root how=events
  ((!is_docker && EUID == 0)) && [[ -z $podman_url && ! -d /run/systemd/system ]] || return 0
  [[ ! -d $folder/memory ]] || folder+=/memory how=failcnt
  parent+=/podferry.$$.${names[container]}.${restarts[container]}
  mkdir -p -- "$folder/$parent" 2>/dev/null || return 0
  write_limit "$folder/$parent/memory.use_hierarchy" 1
  [[ $how == events ]] || write_limit "$folder/$parent/memory.limit_in_bytes" $(($1 - 4096))
  options+=(--cgroup-parent "/$parent")
  engine_cgroup=$parent kill_count=$folder/$parent/memory.$how
}
