#!/bin/bash
# podferry-script 1: pod default/podman (00000000-0000-4000-8000-000000000901) at pool pool-a
# To run it again by hand: PODFERRY_SANDBOX=/a/new/folder bash THIS_FILE
# It holds the pod's Secrets.
default_sandbox='podferry.3bd3a9e2-2d6c-4c1e-9f0b-0a4de3b4a0c1.00000000-0000-4000-8000-000000000901'
second_start_code=213
# The fence comes before all else: only the first start of this job passes it.
set +o posix
LC_ALL=C
umask 077
unset -v CDPATH GLOBIGNORE
exec </dev/null
sandbox=${PODFERRY_SANDBOX:-$PWD/$default_sandbox}
[[ $sandbox == /* ]] || sandbox=$PWD/$sandbox
script=${BASH_SOURCE[0]}
[[ $script == /* ]] || script=$PWD/$script
stop_requested=0 interrupted=0
on_signal() {
  stop_requested=1 interrupted=1
  { printf 'stop\n' >&8; } 2>/dev/null
}
trap on_signal TERM INT
trap : HUP
[[ -d $sandbox ]] || mkdir -p -- "$sandbox" || exit 1
set -C
if ! { printf '%s\n' "$$" >"$sandbox/started"; } 2>/dev/null; then
  [[ -e $sandbox/started ]] && exit "$second_start_code"
  printf 'podferry: cannot write to %s\n' "$sandbox" >&2
  exit 1
fi
set +C

# ---- This job ----
folders=(status run/status 'logs/00.main' 'logs/01.other' 'volumes/data' 'volumes/.cache')
# The sandbox is closed to others, what is in it need not be. Bash reads on meanwhile.
(umask 0 && cd -P -- "$sandbox" && exec mkdir -p -- "${folders[@]}") &
folders_pid=$!
wait_for_folders() {
  wait_for "$folders_pid"
  ((status == 0)) || problem='cannot make the folders of the sandbox'
}
write_files() {
  wait_for_folders
}
prepare_volumes() {
  :
}
end_volumes() {
  :
}
names=('00.main' '01.other')
roles=(main main)
stdins=(1 0)
memory_limits=(65536 0)
cpu_limits=(500 0)
restart_policy=Never
grace=30 deadline=0
back_off_first=1000 back_off_limit=30000
hostname='podman'
leader=''
has_images=1 tries_again=1
PATH=''${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}
image_names=( 'busybox:1.36' 'docker.io/podferry/entrypoint:1')
image_policies=( 'IfNotPresent' 'IfNotPresent')
pull_timeout=3600 pull_retries=5
image_back_off_first=1000 image_back_off_limit=30000
podman='podman' podman_url=''
podman_options=('--network' 'host')
images=('docker.io/library/busybox:1.36' 'docker.io/podferry/entrypoint:1')
image_platform=''
job_key='3bd3a9e2-2d6c-4c1e-9f0b-0a4de3b4a0c1/00000000-0000-4000-8000-000000000901' shares_memory=1 guards_engine=1 fs_group=3000
host_lines=( '127.0.0.1	podman')
stop_signals=('' '')
has_care=0 has_messages=1
message_files=(1 1)
log_messages=(0 0)
container_0() {
  command=( 'sh' '-c' $'id; echo "$TEXT"; pwd; for a; do echo "<$a>"; done' 'sh')
  args=( 'it'\''s' 'two
lines')
  env=(
    'TEXT' 'two
lines'
    'LD_PRELOAD' '/stays/inside.so'
  )
  workdir='/data/sub'
  read_only_root=1
  run_as_user=1000
  run_as_group=2000
  groups=(4000 3000)
  added=' NET_BIND_SERVICE '
  must_not_be_root=1
  no_new_privileges=1
  dropped=' ALL '
  mount_at '/data' 'volumes/data' 'a:b' rw
  mount_at '/cache' 'volumes/.cache' '' rw
  mount_at '/dev/termination-log' run/00.main.message '' rw
}
container_1() {
  command=()
  args=( 'as the image says')
  env=(
  )
  tty=1
  groups=(4000 3000)
  mount_at '/dev/termination-log' run/01.other.message '' rw
}

# ---- How every job is run ----
# Writes the pod's data below the sandbox. What goes wrong is left in `problem`.
# put <path> <text>, and put_bytes <path> <bytes with octal escapes>, under the umask of the time.
put() {
  printf '%s' "$2" >"$1" || words=$(printf '%s' "$2" 2>&1 >"$1") || cannot_write "$1"
}
put_bytes() {
  printf '%b' "$2" >"$1" || words=$(printf '%b' "$2" 2>&1 >"$1") || cannot_write "$1"
}
# What failed is tried once more, to have the system's own words: on a full disk there is no file for
# them. What was written of it goes, so that there is room for a status file.
cannot_write() {
  problem=${problem:-cannot write $1: ${words##*: }}
  rm -rf -- "$1"
}
set_mode() {
  chmod -- "$@" || problem="cannot set the mode $1"
}

# In memory, below a folder that nobody else may enter.
make_memory_folders() {
  memory_root=/dev/shm/$default_sandbox.$$
  add_garbage "$memory_root"
  if ! mkdir -m 700 -- "$memory_root" || ! (cd -- "$memory_root" && mkdir -m 777 -- "$@"); then
    problem="cannot make $memory_root"
  fi
}
# What every runtime's piece needs to know of the pool: its programs, processes and limits.

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

# For the process that becomes the container; see memory.bash, which is there if any has limits.
set_limits() {
  ((memory_limits[container] + cpu_limits[container] == 0)) || limit_container
}

refuse_root() {
  ((!must_not_be_root || EUID)) ||
    cannot_create 'the pod asks for runAsNonRoot, and this pool runs it as root'
}

# Who a process of the pool becomes, where the script is root and the pod names a user or groups:
# leaves in `become` what stands before its command.
find_user() {
  local list
  become=()
  if [[ -z $run_as_user$run_as_group${groups[*]} ]] || ((EUID)); then
    refuse_root
    return
  fi
  ((!must_not_be_root)) || [[ ${run_as_user:-0} != 0 ]] ||
    cannot_create 'the pod asks for runAsNonRoot, and does not say as whom'
  find_program setpriv
  [[ -x $program ]] || cannot_create 'there is no setpriv at this pool to run a container as another user'
  printf -v list '%s,' "${groups[@]}"
  become=("$program" --reuid "${run_as_user:-0}" --regid "${run_as_group:-0}")
  if ((${#groups[@]})); then become+=(--groups "${list%,}"); else become+=(--clear-groups); fi
  become+=(--)
  # So that /dev/stdout can be opened, which is our pipe.
  chown -- "${run_as_user:-0}" /proc/self/fd/1
}

# The signal that asks container <i> to end, in `stop_signal`: the pod's choice, or SIGTERM.
find_stop_signal() {
  stop_signal=${stop_signals[$1]:-15}
}
# Limits of memory and processor time: a cgroup of its own for each attempt of a container, where one
# can be made below the script's own (v2, or the controllers of v1); else a limit on each process'
# data. Only a cgroup can say that the kernel killed for memory.
#
# run/<name>.cgroup lists an attempt's: "<how it tells of kills> <folder>".
cgroup_root=/sys/fs/cgroup

# Leaves in `memory_cgroup` and `cpu_cgroup` where this process is; empty where that is not known.
find_cgroups() {
  local controllers path
  memory_cgroup='' cpu_cgroup=''
  while IFS=: read -r _ controllers path; do
    [[ $path != / ]] || path=''
    case ,$controllers, in
      ,,)
        [[ ! -e $cgroup_root/cgroup.controllers ]] ||
          memory_cgroup=$cgroup_root$path cpu_cgroup=$cgroup_root$path
        ;;
      *,memory,*) memory_cgroup=$cgroup_root/$controllers$path ;;
      *,cpu,*) cpu_cgroup=$cgroup_root/$controllers$path ;;
    esac
  done <"/proc/$BASHPID/cgroup"
}

# write_limit <file> <value>: false where the kernel does not take it.
write_limit() {
  [[ -e $1 ]] && { printf '%s\n' "$2" >"$1"; } 2>/dev/null
}

# make_cgroup <parent> <how it tells of kills>: leaves its folder in `cgroup`.
make_cgroup() {
  cgroup=''
  [[ -n $1 && -w $1/cgroup.procs ]] || return
  mkdir -- "$1/podferry.$$.${names[container]}.${restarts[container]}" 2>/dev/null || return
  cgroup=$1/podferry.$$.${names[container]}.${restarts[container]}
  printf '%s %s\n' "$2" "$cgroup" >>"$sandbox/run/${names[container]}.cgroup"
}

limit_memory() {
  if [[ -e $memory_cgroup/memory.limit_in_bytes ]]; then
    make_cgroup "$memory_cgroup" oom_control || return
    write_limit "$cgroup/memory.limit_in_bytes" "$1" || return
    write_limit "$cgroup/memory.memsw.limit_in_bytes" "$1"
  else
    write_limit "$memory_cgroup/cgroup.subtree_control" '+memory'
    make_cgroup "$memory_cgroup" events || return
    write_limit "$cgroup/memory.max" "$1" || return
    write_limit "$cgroup/memory.swap.max" 0
    write_limit "$cgroup/memory.oom.group" 1
  fi
  write_limit "$cgroup/cgroup.procs" "$BASHPID"
}

# In thousandths of a processor, for periods of 0.1 s.
limit_cpu() {
  local quota=$(($1 * 100))
  ((quota >= 1000)) || quota=1000
  if [[ -e $cpu_cgroup/cpu.cfs_quota_us ]]; then
    make_cgroup "$cpu_cgroup" - && write_limit "$cgroup/cpu.cfs_quota_us" "$quota"
  else
    write_limit "$cpu_cgroup/cgroup.subtree_control" '+cpu'
    [[ -n $cgroup ]] || make_cgroup "$cpu_cgroup" -
    write_limit "$cgroup/cpu.max" "$quota 100000"
  fi && write_limit "$cgroup/cgroup.procs" "$BASHPID"
}

limit_container() {
  local cgroup='' memory_cgroup cpu_cgroup kib=${memory_limits[container]}
  find_cgroups
  ((kib == 0)) || limit_memory $((kib * 1024)) || ulimit -d "$kib"
  ((cpu_limits[container] == 0)) || limit_cpu "${cpu_limits[container]}"
}

# Leaves in `kills` how often the kernel killed there.
read_kills() {
  local key value
  while read -r key value; do
    [[ $key != oom_kill ]] || kills=$((kills + value))
  done <"$1"
} 2>/dev/null

# After the end of container i: what its cgroups tell, and their removal. What is left in one (a
# process that left the container's session) is killed.
settle_cgroups() {
  local i=$1 how folder pid kills=0 folders=()
  while read -r how folder; do
    case $how in
      killed) kills=1 ;;
      events | oom_control) read_kills "$folder/memory.$how" ;;
    esac
    [[ $folder == /* ]] || continue
    while read -r pid; do kill -KILL "$pid"; done 2>/dev/null <"$folder/cgroup.procs"
    folders+=("$folder")
  done <"run/${names[i]}.cgroup"
  ((${#folders[@]} == 0)) || rmdir -- "${folders[@]}" 2>/dev/null || old_cgroups+=("${folders[@]}")
  : >"run/${names[i]}.cgroup"
  ((kills == 0 || code[i] == 0 || killed[i])) || reason[i]=OOMKilled
}

# For the end of the script, or its guard: whatever is still there.
remove_cgroups() {
  local file folder folders=("${old_cgroups[@]}")
  for file in run/*.cgroup; do
    [[ ! -e $file ]] || while read -r _ folder; do
      [[ $folder != /* ]] || folders+=("$folder")
    done <"$file"
  done
  ((${#folders[@]} == 0)) || rmdir -- "${folders[@]}" 2>/dev/null
}
# The containers' file of hosts is the pool's, with more: a container's own name must lead somewhere,
# and the pod may name others.
write_hosts() {
  local lines=()
  mapfile lines </etc/hosts
  umask 022 # Containers of other users read it.
  { printf '%s' "${lines[@]}" && printf '%s\n' "${host_lines[@]}"; } >run/hosts ||
    problem='cannot write the file of hosts'
  umask 077
}
# The mounts of a container, as it lists them: mount_at <path> <volume's folder> <sub path> <ro or rw>.
mount_at() {
  mount_paths+=("$1") mount_roots+=("$2") mount_subs+=("$3") mount_modes+=("$4")
}

# Leaves in `source` what a mount shows: a volume, or what lies below it at a sub path, which is
# made when missing. A link that a container left there cannot lead out of the volume.
find_source() {
  local sub=$2 part mask=0
  source=$1
  [[ $1 == /* ]] || source=$sandbox/$1
  [[ -n $sub ]] || return 0
  cd -P -- "$source" || cannot_create "cannot enter volume $1"
  [[ $source == "$sandbox"/* || $source == "${memory_root:-none}"/* ]] || mask=022 # The pool's.
  source=$PWD
  while [[ -n $sub ]]; do
    part=${sub%%/*} sub=${sub#"${sub%%/*}"}
    sub=${sub#/}
    if [[ -z $sub && ! -L ./$part && -e ./$part && ! -d ./$part ]]; then
      source=$PWD/$part
      return
    fi
    if [[ ! -e ./$part && ! -L ./$part ]]; then
      (umask "$mask" && mkdir -- "./$part") || cannot_create "sub path $2 of $1: cannot make $part"
    fi
    cd -P -- "./$part" 2>/dev/null || cannot_create "sub path $2 of $1: $part is not a folder"
    [[ $PWD/ == "$source"/* ]] || cannot_create "sub path $2 leads out of volume $1"
  done
  source=$PWD
}
# Images, for runtimes that have them. An image that is not at hand is fetched beside the supervisor,
# by a process that says "image <i> ok", "failed" or "hopeless" when it is done. The runtime's piece
# defines find_image <i>, which costs nothing and leaves the image's place, and fetch_image <i>.
image_place=() image_id=() image_tries=() image_pause=() fetchers=()

image_is_ready() {
  [[ -z ${image_place[$1]-} ]] || return 0
  find_image "$1" && return
  begin_fetch "$1"
  return 1
}

begin_fetch() {
  local i=$1
  set -m # A process group of its own, to be ended as one.
  (
    set +m
    trap - TERM INT HUP
    close_files 8
    guard_group "$BASHPID" "$i"
    rm -f -- "run/${names[i]}.image" "run/${names[i]}.image_error"
    fetch_image "$i"
    case $? in
      0) printf 'image %s ok\n' "$i" >&8 ;;
      2) printf 'image %s hopeless\n' "$i" >&8 ;;
      *) printf 'image %s failed\n' "$i" >&8 ;;
    esac
  ) >"run/${names[i]}.fetch_log" 2>&1 &
  fetchers[i]=$!
  set +m
  phase[i]=fetching state[i]=waiting reason[i]=ContainerCreating dirty[i]=1
  message[i]="fetches image ${image_names[i]}"
}

end_fetch() {
  { kill -KILL -- "-${fetchers[$1]}" && wait_for "${fetchers[$1]}"; } 2>/dev/null
  forget_fetch "$1"
}

# A fetch is over: on_image <i> <ok, failed or hopeless>.
on_image() {
  local i=$1 words=''
  [[ ${phase[i]} == fetching ]] || return 0
  read_clock
  if [[ $2 == ok ]]; then
    { IFS= read -r 'image_place[i]' && IFS= read -r 'image_id[i]'; } <"run/${names[i]}.image"
    start_container "$i"
    return
  fi
  { IFS= read -r -d '' words <"run/${names[i]}.image_error"; } 2>/dev/null
  words=${words:-the fetching of the image ended without a word}
  image_tries[i]=$((${image_tries[i]:-0} + 1))
  if [[ $2 == hopeless ]] || ((image_tries[i] > pull_retries)); then
    code[i]=128 signal[i]=0 reason[i]=ErrImagePull message[i]=$words
    [[ $2 != hopeless || $words != *imagePullPolicy* ]] || reason[i]=ErrImageNeverPull
    phase[i]=ended state[i]=terminated dirty[i]=1
    stop_after_failed_init "$i"
    return
  fi
  image_pause[i]=$((${image_pause[i]:-0} == 0 ? image_back_off_first : image_pause[i] * 2))
  ((image_pause[i] > image_back_off_limit)) && image_pause[i]=$image_back_off_limit
  retry_at[i]=$((now + image_pause[i]))
  phase[i]=fetch_back_off reason[i]=ImagePullBackOff message[i]=$words dirty[i]=1
}

notice_lost_fetch() {
  kill -0 "${fetchers[$1]}" 2>/dev/null || on_image "$1" failed
}
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
# Brings images into the store of Podman or Docker, which is the pool's cache of them.

# Whether an image is there costs a call of the program, so that is asked beside the supervisor, too.
find_image() {
  [[ -z $1 ]]
}

# Leaves what is to be known of the image in run/<name>.image, in lines: its id; its name with the
# digest; and its user, working directory and signal to stop. Or words in run/<name>.image_error.
fetch_image() {
  local image=${images[$1]} policy=${image_policies[$1]} files=run/${names[$1]} words='' line
  if [[ $policy != Always ]] && inspect_image "$image" "$files"; then return 0; fi
  if [[ $policy == Never ]]; then
    printf 'imagePullPolicy is Never, and %s is not here' "$image" >"$files.image_error"
    return 2
  fi
  if pull_image "$image" "$policy" "$files"; then
    read -r line <"$files.pulled"
    inspect_image "${line:-$image}" "$files" && return 0
    words="$image was pulled and is not here"
  else
    while read -r line; do [[ -z $line ]] || words=$line; done <"$files.pull_words"
  fi
  printf '%s' "${words:0:1000}" >"$files.image_error"
  return 1
}

# One pull at a time of each image on this machine; who waited finds it there.
pull_image() {
  local image=$1 policy=$2 files=$3 folder=${XDG_RUNTIME_DIR:-/tmp}/podferry.$EUID name options=(--quiet)
  [[ -z $image_platform ]] || options+=(--platform "$image_platform")
  name=${image//[!A-Za-z0-9._-]/_}
  mkdir -m 700 -- "$folder" 2>/dev/null
  (
    if [[ -O $folder && ! -L $folder ]] && exec 9>"$folder/${name:0:200}.lock"; then
      flock -w "$pull_timeout" 9
      [[ $policy != IfNotPresent ]] || ! inspect_image "$image" "$files" || exit 0
    fi
    timeout "$pull_timeout" "${engine[@]}" pull "${options[@]}" "$image" 9>&- && exit
    status=$?
    ((status != 124)) || printf 'not pulled within %s seconds\n' "$pull_timeout" >&2
    exit "$status"
  ) >"$files.pulled" 2>"$files.pull_words"
}

inspect_image() {
  local id='' names_with_digest='' facts=()
  {
    read -r id && read -r names_with_digest
    mapfile -t facts
  } < <("${engine[@]}" image inspect --format \
    $'{{.Id}}\n{{range .RepoDigests}}{{.}} {{end}}\n{{.Config.User}}\n{{.Config.WorkingDir}}\n{{.Config.StopSignal}}' \
    "$1" 2>/dev/null)
  [[ -n $id ]] || return
  names_with_digest=${names_with_digest%% *}
  printf '%s\n' "$id" "${names_with_digest:-sha256:${id#sha256:}}" "${facts[@]}" >"$2.image"
}
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
# Removes containers that a killed script left.

# What the guard does when the script was killed. A call of the program that is under way is waited
# for: cut off in the middle, it leaves processes that it does not know itself.
remove_containers() {
  local name
  find_engine || return
  for name in "${names[@]}"; do
    [[ ! -e run/$name.group ]] || remove_container "run/$name" &
  done >/dev/null 2>&1
  wait
}

# remove_container <run/name>
remove_container() {
  local leader='' birth='' engine_name='' round
  exec 8>&-
  read -r leader birth <"$1.group"
  for ((round = 0; round < 300; round++)); do
    [[ ! -e $1.engine ]] || read -r engine_name <"$1.engine"
    [[ -z $engine_name ]] || "${engine[@]}" kill --signal KILL "$engine_name"
    [[ -n $engine_name ]] || ((round < 20)) || break # An image's pull.
    find_birth "$leader"
    [[ -n $born && $born == "$birth" ]] || break
    sleep 0.1
  done
  [[ -n $engine_name ]] || return
  "${engine[@]}" rm --force --volumes "$engine_name"
  remove_unknown "$engine_name"
}

# Podman may have been killed before it wrote down that a monitor (conmon) holds a container.
remove_unknown() {
  local path word option id runtime
  for path in /proc/[0-9]*; do
    { IFS= read -r -d '' word <"$path/cmdline"; } || continue
    [[ ${word##*/} == conmon ]] || continue
    option='' id='' runtime=''
    while IFS= read -r -d '' word; do
      case $option in
        -c) id=$word ;;
        -r) runtime=$word ;;
        -n) [[ $word == "$1" ]] && break ;;
      esac
      option=$word
    done <"$path/cmdline"
    [[ $option == -n && $word == "$1" ]] || continue
    find_children "${path#/proc/}"
    "$runtime" delete --force "$id"
    kill -KILL "${path#/proc/}" "${children[@]}"
  done
}

# Containers of scripts that were killed together with their guards: of those that ran on this
# machine, among these processes, and are no more.
remove_orphans() {
  local boot='' space id place pid birth
  find_engine || return
  read -r boot </proc/sys/kernel/random/boot_id
  space=$boot/$(exec readlink /proc/self/ns/pid)
  while read -r id place; do
    birth=${place##*/} place=${place%/*}
    pid=${place##*/} place=${place%/*}
    [[ $place == "$space" ]] || continue
    find_birth "$pid"
    [[ $born != "$birth" ]] || continue
    "${engine[@]}" kill --signal KILL "$id"
    "${engine[@]}" rm --force --volumes "$id"
  done < <("${engine[@]}" ps --all --no-trunc --filter label=podferry.script \
    --format '{{.ID}} {{index .Labels "podferry.script"}}') >/dev/null 2>&1
}
# A container's last words: what it wrote to a file that is mounted for that, or the end of its log.

# Anyone in the container may write to it.
empty_message() {
  ((message_files[$1])) || return 0
  umask 0
  : >"run/${names[$1]}.message"
  umask 077
}

# Leaves them in message[i], if there are any: the last 4096 bytes of the file, else the last 80 lines
# of a log whose container failed, 2048 bytes at most.
read_message() {
  local i=$1 file=run/${names[$1]}.message text=''
  # The x keeps what $() would cut off.
  if ((message_files[i])) && [[ -s $file ]]; then
    text=$(tail -c 4096 -- "$file" && echo x)
  fi 2>/dev/null
  if [[ -z $text ]] && ((log_messages[i] && code[i] != 0)); then
    text=$(tail -n 80 -- "logs/${names[i]}/${restarts[i]}.log" | tail -c 2048 && echo x)
  fi 2>/dev/null
  [[ -z $text ]] || message[i]=${text%x}
}
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
begin

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
main
# Always: data may follow. (For shellcheck, all functions of a script with no reachable end are dead.)
[[ $$ != 0 ]] && exit "$final_code"
