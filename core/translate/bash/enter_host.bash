# enter_container <i> <argv...>, in the process that becomes the command: it runs beside the
# container's own process, in its namespaces, with its variables, working directory, limits and
# rights, and never gets hold of anything before these are taken on.
enter_container() {
  local container=$1 command=() args=() env=() workdir='' read_only_root=0 added='' dropped='' become
  local run_as_user='' run_as_group='' groups=() must_not_be_root=0 home=${HOME:-/} kept
  local mount_paths=() mount_roots=() mount_subs=() mount_modes=() options=() first=''
  shift
  "container_$container"
  find_user
  [[ ${#become[@]} == 0 || ${run_as_user:-0} == 0 || -z $bwrap ]] || home=/
  print_entry >"$files.entry" || cannot_enter "cannot write $files.entry"
  cd /
  umask 022
  join_limits
  [[ -n $bwrap ]] || exec -c "${become[@]}" "$BASH" -s -- "$@" <"$files.entry"
  find_program setpriv
  options=("$program" --no-new-privs)
  find_program nsenter
  find_first_process
  if ((EUID)); then
    exec -c "$program" --preserve-credentials -t "$first" -U -m -u -p -- \
      "${options[@]}" -- "$BASH" -s -- "$@" <"$files.entry"
  fi
  beware_of_mounts
  bound_capabilities
  exec -c "$program" -t "$first" -m -u -p -- "${options[@]}" -- "${become[@]}" "$BASH" -s -- "$@" \
    <"$files.entry"
}

# The container's cgroups, or its limit for each process.
join_limits() {
  local folder joined=0
  while read -r _ folder; do
    [[ $folder == /* ]] && printf '%s\n' "$BASHPID" >"$folder/cgroup.procs" && joined=1
  done 2>/dev/null <"$sandbox/run/${names[container]}.cgroup"
  ((joined || memory_limits[container] == 0)) || ulimit -d "${memory_limits[container]}"
}

cannot_enter() {
  printf 'cannot enter the container: %s\n' "$1"
  exit 128
}

# What a bash on the other side does. It sets most variables itself: env's arguments are for everybody
# to read, so that gets only what is no name for bash, or bash's own.
print_entry() {
  local i others=()
  env=(PATH "$container_path" HOME "$home" HOSTNAME "$hostname" "${env[@]}")
  printf 'cd -- %q || exit 128\n{\n' "${workdir:-/}"
  for ((i = 0; i < ${#env[@]}; i += 2)); do
    case ${env[i]} in
      *[!A-Za-z0-9_]* | [0-9]* | BASH* | _ | *UID | PPID | SHELLOPTS | SHLVL | *PWD | GROUPS | \
        DIRSTACK | FUNCNAME | HISTCMD | LINENO | *RANDOM | SECONDS | EPOCH* | IFS | POSIXLY_CORRECT)
        others+=("${env[i]}=${env[i + 1]}")
        ;;
      *) printf 'export %s=%q\n' "${env[i]}" "${env[i + 1]}" ;;
    esac
  done
  find_program env
  printf '} 2>/dev/null\nexport -n PWD OLDPWD\nexec %q -u SHLVL -u _ --' "$program"
  ((${#others[@]} == 0)) || printf ' %q' "${others[@]}"
  printf ' "%s" </dev/null\n' '$@'
}

# Leaves in `first` the first process of the container's namespaces, once bubblewrap has laid out
# its files and started the container's own.
find_first_process() {
  local round
  exec 4<> <(:)
  for ((round = 0; round < 1000; round++)); do
    find_children "${pids[container]}"
    first=${children[0]-}
    if [[ -n $first ]]; then
      find_children "$first"
      ((${#children[@]} == 0)) || break
    fi
    kill -0 "${pids[container]}" 2>/dev/null || cannot_enter 'it has ended'
    read -r -t 0.02 -u 4 _ # A pause.
  done
  exec 4>&-
  ((${#children[@]})) || cannot_enter 'it has no process'
}

# As root, nsenter and setpriv still have all rights when they are loaded from the container's files.
beware_of_mounts() {
  local path
  for path in "${mount_paths[@]}"; do
    case $path/ in
      / | /bin/* | /sbin/* | /lib/* | /lib32/* | /lib64/* | /usr/ | /usr/bin/* | /usr/sbin/* | \
        /usr/lib/* | /usr/lib32/* | /usr/lib64/* | /etc/ | /etc/ld.so*)
        cannot_enter "a volume at $path lies over the programs that are needed for it"
        ;;
    esac
  done
}

bound_capabilities() {
  local capability bounds=-all
  find_capabilities
  for capability in "${kept[@]}"; do bounds+=,+${capability,,}; done
  options+=(--inh-caps -all --bounding-set "$bounds")
}
