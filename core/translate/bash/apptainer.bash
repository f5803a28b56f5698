# Runs a container under Apptainer or Singularity: an image of its own, the pod's volumes mounted into
# it, a process namespace that ends with its first process.
unique=$default_sandbox.$$
scratch=$scratch_area/$unique
shm=/dev/shm/$unique.shm
pulled=''

prepare_runtime() {
  find_program "$apptainer"
  if [[ ! -x $program ]]; then
    problem="there is no $apptainer at this pool (apptainer.executable of its BuildConfig)"
    return
  fi
  apptainer=$program
  find_program env
  env_program=$program
  write_hosts
  make_scratch
}

# What is a container's own, and emptied: /tmp, where it is not the pool's, and /dev/shm.
make_scratch() {
  local i folders=()
  for ((i = 0; i < count; i++)); do
    folders+=("$shm/$i")
    [[ $tmp_dir_mode != scratch ]] || folders+=("$scratch/$i.tmp" "$scratch/$i.var")
  done
  add_garbage "$scratch" "$shm"
  (umask 077 && mkdir -p -- "$scratch_area" && mkdir -- "$scratch" "$shm" &&
    mkdir -m 1777 -- "${folders[@]}" && ln -s /dev run/dev) ||
    problem="cannot make $scratch (volumes.scratch_area) and $shm"
}

# A mount as --mount takes it: CSV.
add_mount() {
  local source=${1//'"'/'""'} target=${2//'"'/'""'} flags=''
  # It mounts nothing of /dev into /dev, so that has another name here.
  [[ $source != /dev/* ]] || source=$sandbox/run/dev${source#/dev}
  [[ $3 == rw ]] || flags=,ro
  options+=(--mount "type=bind,\"source=$source\",\"destination=$target\"$flags")
}

is_mounted() {
  local path
  for path in "${mount_paths[@]}"; do [[ $path == "$1" ]] && return; done
  return 1
}

mount_all() {
  local i source
  is_mounted /etc/hosts || add_mount "$sandbox/run/hosts" /etc/hosts rw
  is_mounted /dev/shm || add_mount "$shm/$container" /dev/shm rw
  if [[ $tmp_dir_mode == scratch ]] && ((!read_only_root)); then
    is_mounted /tmp || add_mount "$scratch/$container.tmp" /tmp rw
    is_mounted /var/tmp || add_mount "$scratch/$container.var" /var/tmp rw
  fi
  for ((i = 0; i < ${#mount_paths[@]}; i++)); do
    find_source "${mount_roots[i]}" "${mount_subs[i]}"
    add_mount "$source" "${mount_paths[i]}" "${mount_modes[i]}"
  done
}

# Variables are set by a file that Apptainer's own shell reads last of all, in any image; it empties
# itself then, which also shows that the container came to be. Names that no shell knows are passed on
# as they are.
write_variables() {
  local i file=$1 strings=()
  {
    # Apptainer's own reading of the image's variables does not get over a quote, and adds to PATH.
    if read_strings Env; then
      : >"$file.none"
      add_mount "$file.none" /.singularity.d/env/10-docker2singularity.sh ro
      for ((i = 0; i < ${#strings[@]}; i++)); do
        write_variable "${strings[i]%%=*}" "${strings[i]#*=}"
      done
    fi
    write_variable HOSTNAME "$hostname"
    pass_on_gpus
    for ((i = 0; i < ${#env[@]}; i += 2)); do write_variable "${env[i]}" "${env[i + 1]}"; done
    printf ': >%s\n' "$variables_path"
  } >"$file" || cannot_create "cannot write $file"
}
# Its shell (mvdan.cc/sh) drops a carriage return, and uses U+0080 and U+0081 as marks of its own.
write_variable() {
  local quote="'\"'\"'" return_="'$'\\r''" end="'$'\\u0080''" line="'$'\\u0081''" value
  [[ ! $1 =~ ^APPTAINER_(NAME|CONTAINER|INSTANCE)$ ]] || return 0 # Its own.
  if [[ ! $1 =~ ^[A-Za-z_][A-Za-z_0-9]*$ || $1 =~ ^(E?UID|GID)$ ]]; then
    other_variables+=("$1=$2")
    return
  fi
  value=${2//"'"/$quote}
  value=${value//$'\r'/$return_}
  value=${value//$'\302\200'/$end}
  printf "export %s='%s'\n" "$1" "${value//$'\302\201'/$line}"
}
variables_path=/.singularity.d/env/99-zz-podferry.sh

# A working folder that an image lacks is made, as elsewhere; that it does was seen by a first try.
find_workdir() {
  local value
  if [[ -z $workdir ]]; then
    read_string WorkingDir
    workdir=${value:-/}
  fi
  [[ -e $sandbox/run/${names[container]}.no_workdir ]] || return 0
  (umask 0 && mkdir -p -- "$scratch/$container.work")
  add_mount "$scratch/$container.work" "$workdir" rw
}

# The batch system says which GPUs are the job's.
pass_on_gpus() {
  local name
  [[ -n $gpus ]] || return 0
  for name in CUDA_VISIBLE_DEVICES NVIDIA_VISIBLE_DEVICES ROCR_VISIBLE_DEVICES HIP_VISIBLE_DEVICES \
    GPU_DEVICE_ORDINAL; do
    [[ -z ${!name+x} ]] || write_variable "$name" "${!name}"
  done
}

# Only where the script is root can a container be somebody else.
choose_user() {
  local gid
  if ((EUID)) || [[ -z $run_as_user$run_as_group${groups[*]} ||
    " ${apptainer_options[*]} " =~ \ --(userns|fakeroot)\  ]]; then
    refuse_root
    return
  fi
  ((!must_not_be_root)) || [[ ${run_as_user:-0} != 0 ]] ||
    cannot_create 'the pod asks for runAsNonRoot, and does not say as whom'
  printf -v gid ':%s' "${run_as_group:-0}" "${groups[@]}"
  options+=(--security "uid:${run_as_user:-0}" --security "gid$gid")
  chown -- "${run_as_user:-0}" "$1" /proc/self/fd/1 # Its variables, and our pipe as /dev/stdout.
}

drop_capabilities() {
  local name list=''
  for name in $dropped; do
    [[ $name == ALL ]] || name=CAP_$name
    list+=,$name
  done
  [[ -z $list ]] || options+=(--drop-caps "${list#,}")
}

# What Apptainer itself is told by its environment.
keep_own_variables() {
  local name
  own_variables=("PATH=$PATH" "HOME=${HOME:-/}")
  for name in "${!APPTAINER@}" "${!SINGULARITY@}"; do
    case $name in
      *PASSWORD* | *TOKEN* | *SECRET* | *KEY*) ;;
      *) own_variables+=("$name=${!name}") ;;
    esac
  done
}

run_container() {
  local command=() args=() env=() workdir='' read_only_root=0 must_not_be_root=0 dropped='' gpus=''
  local run_as_user='' run_as_group='' groups=()
  local mount_paths=() mount_roots=() mount_subs=() mount_modes=() options=() action='run'
  local own_variables=() other_variables=() call=() config='' file=$sandbox/run/${names[container]}.variables
  "container_$container"
  options=("${apptainer_options[@]}")
  ((read_only_root)) || options+=(--writable-tmpfs)
  [[ $gpus != *nvidia* ]] || options+=(--nv)
  [[ $gpus != *amd* ]] || options+=(--rocm)
  ((no_privs || EUID)) || drop_capabilities
  mount_all
  read_config "${image_place[container]}"
  write_variables "$file"
  add_mount "$file" "$variables_path" rw
  choose_user "$file"
  find_workdir
  options+=(--pwd "$workdir")
  ((${#command[@]} == 0)) || action='exec'
  cd /
  set_limits
  unset -v PODFERRY_SANDBOX PODFERRY_HIDE
  call=("$apptainer" --nocolor --silent "$action" "${options[@]}" -- "${image_place[container]}"
    "${command[@]}" "${args[@]}")
  ((clean_environment)) || exec "$env_program" -- "${other_variables[@]}" "${call[@]}"
  keep_own_variables
  exec -c "$env_program" -- "${own_variables[@]}" "${other_variables[@]}" "${call[@]}"
}
