#!/bin/bash
# podferry-script 1: pod default/init-fails (00000000-0000-4000-8000-0000000003f0) at pool pool-a
# To run it again by hand: PODFERRY_SANDBOX=/a/new/folder bash THIS_FILE
# It holds the pod's Secrets.
default_sandbox='podferry.3bd3a9e2-2d6c-4c1e-9f0b-0a4de3b4a0c1.00000000-0000-4000-8000-0000000003f0'
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
folders=(status run/status 'logs/00.ok' 'logs/01.bad' 'logs/02.later' 'logs/03.main')
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
names=('00.ok' '01.bad' '02.later' '03.main')
roles=(init init init main)
stdins=(0 0 0 0)
memory_limits=(0 0 0 0)
cpu_limits=(0 0 0 0)
restart_policy=Never
grace=30 deadline=0
back_off_first=1000 back_off_limit=30000
hostname='init-fails'
leader=''
has_images=0 tries_again=0
container_path=''${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}
needs_bwrap=0
bwrap='bwrap'
host_lines=( '127.0.0.1	init-fails')
stop_signals=('' '' '' '')
has_care=0 has_messages=0
container_0() {
  command=( 'sh' '-c' 'echo ok')
  args=()
  env=(
  )
  workdir='/'
}
container_1() {
  command=( 'sh' '-c' 'echo about to fail; exit 3')
  args=()
  env=(
  )
  workdir='/'
}
container_2() {
  command=( 'sh' '-c' 'echo never')
  args=()
  env=(
  )
  workdir='/'
}
container_3() {
  command=( 'sh' '-c' 'echo never')
  args=()
  env=(
  )
  workdir='/'
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
# What of the pool's is the submitter's own, in `hidden`: see sandbox.h.
hidden=()
read_hidden() {
  local lines=${PODFERRY_HIDE-} path
  while [[ -n $lines ]]; do
    path=${lines%%$'\n'*}
    lines=${lines#"$path"}
    lines=${lines#$'\n'} path=${path//%0A/$'\n'}
    hidden+=("${path//%25/%}")
  done
}
read_hidden
# Runs a container as processes of the pool, with nothing between them and the host: a session of
# its own, ended with its process group.
prepare_plain() {
  find_program nice
  nice=$program
}

run_plain() {
  local command=() args=() env=() workdir='' assignments=() i payload become
  local run_as_user='' run_as_group='' groups=() must_not_be_root=0
  "container_$container"
  find_user
  cd -- "$workdir" || cannot_create "there is no folder $workdir at this pool"
  for ((i = 0; i < ${#env[@]}; i += 2)); do assignments+=("${env[i]}=${env[i + 1]}"); done
  set_limits
  if [[ -n $leader ]]; then
    unset -v PODFERRY_SANDBOX PODFERRY_HIDE
    setsid -- "${command[@]}" "${args[@]}" &
  else
    setsid -- env -i -- "PATH=$container_path" "HOME=${HOME:-/}" "HOSTNAME=$hostname" \
      "${assignments[@]}" "${become[@]}" "$nice" -n 0 -- "${command[@]}" "${args[@]}" &
  fi
  payload=$!
  guard_group "$payload" "$container"
  trap : TERM INT HUP
  interrupted=0
  until wait "$payload"; status=$?; ! kill -0 "$payload" 2>/dev/null; do :; done
  kill -KILL -- "-$payload" 2>/dev/null
  exit "$status"
}

signal_plain() {
  find_children "${pids[$2]}"
  if ((${#children[@]} == 0)); then
    kill -KILL "${pids[$2]}" 2>/dev/null
  else
    # It may be on its way to a group of its own.
    kill -s "$1" -- "-${children[0]}" 2>/dev/null || kill -s "$1" "${children[0]}" 2>/dev/null
  fi
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
# Runs a container under bubblewrap: the host's files, the pod's volumes over them, a process
# namespace that ends with its first process and with this script.
prepare_runtime() {
  prepare_plain
  find_program "$bwrap"
  if [[ -x $program ]]; then
    bwrap=$program
    find_covers
    [[ -L /etc/hosts || ! -f /etc/hosts ]] || write_hosts
  elif ((needs_bwrap)); then
    problem="pods with volumes need bubblewrap, and there is no $bwrap at this pool"
  else
    bwrap=''
  fi
}

# What lies at the pool but is none of its containers' business, in `covers`: what the submitter names
# (sandbox.h), volumes that other pods have in memory, and the job's own sandbox.
covers=()
find_covers() {
  local path
  for path in "${hidden[@]}" /dev/shm; do add_cover "$path"; done
  add_cover "$sandbox"
  cd -P -- "$sandbox" || problem="cannot enter $sandbox"
}
add_cover() {
  local path=$1 cover
  if [[ -d $path ]]; then
    cd -P -- "$path" || return
    path=$PWD
  fi
  [[ -e $path && $path != / ]] || return
  for cover in "${covers[@]}"; do [[ $path/ == "$cover"/* ]] && return; done
  covers+=("$path")
}

bind_hosts() {
  local place
  for place in "${places[@]}"; do [[ /etc/hosts/ == "$place"/* ]] && return; done
  options+=(--bind "$sandbox/run/hosts" /etc/hosts)
}

# Leaves in `place` where a path of the container leads on the host, links resolved. If nothing
# there can be mounted over, its nearest folder must be rebuilt in memory, without the entry in the
# way, so that a mount point can be made.
locate() {
  local path=$1 kind=$2 base=$1 rest='' i
  for ((i = ${#places[@]} - 1; i >= 0; i--)); do
    [[ $path == "${mount_paths[i]}"/* ]] || continue
    place=${places[i]}${path#"${mount_paths[i]}"}
    return
  done
  [[ $kind == file ]] && rest=/${path##*/} base=${path%/*}
  until cd -P -- "${base:-/}" 2>/dev/null; do rest=/${base##*/}$rest base=${base%/*}; done
  base=${PWD%/} place=${PWD%/}$rest
  place=${place:-/}
  [[ -z $rest ]] && return
  [[ $kind == file && -e $place && ! -d $place && ! -L $place ]] && return
  rest=${rest#/}
  in_the_way[$base/${rest%%/*}]=1
  add_base "$base"
}

# Folders to rebuild, the shorter path first.
add_base() {
  local i
  for i in "${bases[@]}"; do [[ $i == "$1" ]] && return; done
  i=${#bases[@]}
  while ((i > 0)) && ((${#bases[i - 1]} > ${#1})); do
    bases[i]=${bases[i - 1]}
    ((i -= 1))
  done
  bases[i]=$1
}

rebuild() {
  local base=$1 entry i bind links=() targets=()
  [[ -z $base ]] || options+=(--tmpfs "$base")
  # What lies there is nobody's in particular and may be very much: empty, as in any container.
  [[ $base != /tmp && $base != /var/tmp ]] || return 0
  for entry in "$base"/*; do
    bind=$host_bind-try
    [[ $base/ == /dev/* ]] && bind=--dev-bind-try
    if [[ -n ${in_the_way[$entry]-} || $entry == /proc || $entry == /dev ]]; then
      :
    elif [[ ! -L $entry ]]; then
      options+=("$bind" "$entry" "$entry")
    elif cd -P -- "$entry" 2>/dev/null && [[ $PWD != /proc/* ]]; then # Costs no fork.
      options+=(--symlink "$PWD" "$entry")
    else
      links+=("$entry")
    fi
  done
  ((${#links[@]} == 0)) && return
  mapfile -t targets < <(exec readlink -- "${links[@]}")
  ((${#targets[@]} == ${#links[@]})) || cannot_create "cannot read the links in ${base:-/}"
  for ((i = 0; i < ${#links[@]}; i++)); do options+=(--symlink "${targets[i]}" "${links[i]}"); done
}

lay_out_host_files() {
  local base
  if [[ ${bases[0]-none} == '' ]]; then
    rebuild ''
    options+=(--dev-bind /dev /dev)
  else
    options+=("$host_bind" / /)
    [[ $host_bind == --dev-bind ]] || options+=(--dev-bind /dev /dev)
  fi
  for base in "${bases[@]}"; do [[ -z $base ]] || rebuild "$base"; done
  options+=(--proc /proc)
  for base in "${covers[@]}"; do
    if [[ -d $base ]]; then
      options+=(--tmpfs "$base")
    else
      options+=(--ro-bind /dev/null "$base")
    fi
  done
}

lay_out() {
  local i bind sources=() places=() bases=() source place
  local -A in_the_way=()
  for ((i = 0; i < ${#mount_paths[@]}; i++)); do
    find_source "${mount_roots[i]}" "${mount_subs[i]}"
    sources[i]=$source
    if [[ -d $source ]]; then locate "${mount_paths[i]}" folder; else locate "${mount_paths[i]}" file; fi
    places[i]=$place
  done
  locate "$workdir" folder
  workdir=$place
  shopt -s nullglob dotglob
  lay_out_host_files
  for ((i = 0; i < ${#mount_paths[@]}; i++)); do
    bind=--bind
    [[ ${mount_modes[i]} == rw ]] || bind=--ro-bind
    options+=("$bind" "${sources[i]}" "${places[i]}")
  done
  [[ -e $sandbox/run/hosts ]] && bind_hosts
  options+=(--dir "$workdir" --chdir "$workdir")
  [[ $host_bind == --ro-bind ]] || return
  for base in "${bases[@]}" "${covers[@]}"; do
    [[ $base == /dev/shm || ! -d ${base:-/} ]] || options+=(--remount-ro "${base:-/}")
  done
}

capabilities=(CHOWN DAC_OVERRIDE FSETID FOWNER MKNOD NET_RAW SETGID SETUID SETFCAP SETPCAP
  NET_BIND_SERVICE SYS_CHROOT KILL AUDIT_WRITE)

# What root keeps, in `kept`: what a container has in Kubernetes by default, less what the pod drops.
# What becoming another user takes is given up by who becomes it.
find_capabilities() {
  local capability lost=''
  kept=()
  for capability in "${capabilities[@]}"; do
    if [[ $dropped == *" $capability "* || ($dropped == *' ALL '* && $added != *" $capability "*) ]]; then
      [[ ${#become[@]} != 0 && $capability == SET[GUP]* ]] || continue
      lost+=,-${capability,,}
    fi
    kept+=("$capability")
  done
  [[ -z $lost ]] || become=("${become[0]}" --inh-caps "${lost#,}" --bounding-set "${lost#,}" "${become[@]:1}")
}

keep_capabilities() {
  local capability kept
  ((EUID == 0)) || return 0
  find_capabilities
  options+=(--cap-drop ALL)
  for capability in "${kept[@]}"; do options+=(--cap-add "CAP_$capability"); done
}

run_in_bubblewrap() {
  local command=() args=() env=() workdir='' read_only_root=0 added='' dropped='' become
  local run_as_user='' run_as_group='' groups=() must_not_be_root=0 home=${HOME:-/}
  local mount_paths=() mount_roots=() mount_subs=() mount_modes=() host_bind=--dev-bind
  local options=() files=$sandbox/run/${names[container]} i
  "container_$container"
  find_user
  [[ ${#become[@]} == 0 || ${run_as_user:-0} == 0 ]] || home=/
  ((!read_only_root)) || host_bind=--ro-bind
  options=(--unshare-pid --die-with-parent --unshare-uts --hostname "$hostname")
  keep_capabilities
  lay_out
  options+=(--setenv PATH "$container_path" --setenv HOME "$home" --setenv HOSTNAME "$hostname")
  for ((i = 0; i < ${#env[@]}; i += 2)); do options+=(--setenv "${env[i]}" "${env[i + 1]}"); done
  ((${#options[@]} + ${#command[@]} + ${#args[@]} < 8900)) ||
    cannot_create 'bubblewrap takes 9000 arguments: too many variables, or files beside a mount point'
  printf '%s\0' "${options[@]}" >"$files.args" || cannot_create "cannot write $files.args"
  cd /
  set_limits
  exec -c "$bwrap" --args 9 --json-status-fd 7 -- "${become[@]}" "$nice" -n 0 -- "${command[@]}" \
    "${args[@]}" 9<"$files.args" 7>"$files.json"
}

run_container() {
  if [[ -n $bwrap ]]; then run_in_bubblewrap; else run_plain; fi
}

# bubblewrap reports an exit code only for what it could start.
was_created() {
  local text=''
  [[ -n $bwrap ]] || return 0
  [[ -e run/${names[$1]}.json ]] || return
  IFS= read -r -d '' text <"run/${names[$1]}.json"
  [[ $text == *exit-code* ]]
}

# bubblewrap's outer process has one child, the first process of the namespace, whose oldest child
# is the container's. One that is not there yet needs no grace. With the first process the whole
# namespace goes, and the outer process reports it as 137.
terminate_container() {
  find_stop_signal "$1"
  if [[ -z $bwrap ]]; then
    signal_plain "$stop_signal" "$1"
    return
  fi
  find_children "${pids[$1]}"
  ((${#children[@]} == 0)) || find_children "${children[0]}"
  if ((${#children[@]} == 0)); then
    kill_container "$1"
  else
    kill -s "$stop_signal" "${children[0]}" 2>/dev/null
  fi
}
kill_container() {
  if [[ -z $bwrap ]]; then
    signal_plain KILL "$1"
    return
  fi
  find_children "${pids[$1]}"
  kill -KILL "${children[0]:-${pids[$1]}}" 2>/dev/null
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
