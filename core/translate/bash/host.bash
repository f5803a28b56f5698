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
