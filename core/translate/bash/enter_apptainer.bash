# enter_container <i> <argv...>, in the process that becomes the command: it runs beside the
# container's own process, in its namespaces and folder, with its variables, limits and rights. Of the
# pool's programs only those run in it that are held open from outside, before the command does.
enter_container() {
  local i=$1 init='' payload='' entry=$sandbox/run/${names[$1]}.$BASHPID.entry outside=() inside=()
  local join=(-m -p --wd) others=() libraries=() identity=() loader=''
  shift
  wait_for_payload "$i"
  find_program nsenter
  [[ -x $program ]] || cannot_enter 'there is no nsenter at this pool'
  [[ /proc/self/ns/user -ef /proc/$payload/ns/user ]] || join+=(-U --preserve-credentials)
  [[ /proc/self/ns/uts -ef /proc/$payload/ns/uts ]] || join+=(-u)
  [[ /proc/self/ns/ipc -ef /proc/$payload/ns/ipc ]] || join+=(-i)
  [[ /proc/self/ns/net -ef /proc/$payload/ns/net ]] || join+=(-n)
  print_entry "$payload" >"$entry" || cannot_enter "cannot write $entry"
  outside=("$program" -t "$payload" "${join[@]}" --)
  find_identity "$payload"
  ((EUID == 0 && !no_privs && ${#identity[@]} == 0)) || give_up_rights
  ((memory_limits[i] == 0)) || ulimit -d "${memory_limits[i]}"
  cd /
  exec {loader}<"$entry"
  rm -f -- "$entry"
  exec -c "$BASH" -s -- "${outside[@]}" "${inside[@]}" "${others[@]}" "$@" <&"$loader"
}

# A hook may come before the container's process does, or while that has no variables yet.
wait_for_payload() {
  local fd
  exec {fd}<> <(:)
  find_payload "$1"
  until [[ -n $payload && ! -s run/${names[$1]}.variables ]] &&
    { ((no_init)) || [[ ! /proc/$payload/exe -ef /proc/$init/exe ]]; } &&
    { IFS= read -r -d '' _ <"/proc/$payload/environ"; } 2>/dev/null; do
    kill -0 "${pids[$1]}" 2>/dev/null || cannot_enter 'its process is not there'
    read -r -t 0.05 -u "$fd"
    find_payload "$1"
  done
  exec {fd}>&-
}

cannot_enter() {
  printf 'cannot enter the container: %s\n' "$1" >&2
  exit 128
}

# Who the container's process is, where root made it somebody else, as setpriv takes it.
find_identity() {
  local key value uid='' gid='' list=''
  identity=()
  ((EUID == 0)) || return 0
  while IFS=$':\t' read -r key value; do
    case $key in
      Uid) uid=${value%%[[:space:]]*} ;;
      Gid) gid=${value%%[[:space:]]*} ;;
      Groups) list=${value%%[[:space:]]} ;;
    esac
  done <"/proc/$1/status"
  [[ $uid:$gid != 0:0 ]] || return 0
  identity=(--reuid "$uid" --regid "$gid")
  if [[ -n $list ]]; then identity+=(--groups "${list// /,}"); else identity+=(--clear-groups); fi
}

# What was entered as root, or into a user namespace of one's own, has all rights there; a container
# has none. setpriv is not in the image, nor are its libraries: they are open files.
give_up_rights() {
  local line fd
  find_program setpriv
  [[ -x $program ]] || cannot_enter 'there is no setpriv at this pool'
  while read -r line; do
    if [[ $line =~ '=> '(/[^ ]+) ]]; then
      exec {fd}<"${BASH_REMATCH[1]}"
      libraries+=("/proc/self/fd/$fd")
    elif [[ $line =~ ^(/[^ ]+) ]]; then
      exec {loader}<"${BASH_REMATCH[1]}"
    fi
  done < <(ldd "$program" 2>/dev/null)
  [[ -n $loader ]] || cannot_enter 'the libraries of setpriv are not known'
  exec {fd}<"$program"
  printf -v line ':%s' "${libraries[@]}"
  inside=("/proc/self/fd/$loader" --preload "${line#:}" "/proc/self/fd/$fd"
    "${identity[@]}" --bounding-set -all --inh-caps -all --no-new-privs --)
}

# What a bash says that then becomes the rest: it sets the variables of the container's process but
# those that would change the programs which come before the command.
print_entry() {
  local entry name strange=()
  printf '{\n'
  while IFS= read -r -d '' entry; do
    name=${entry%%=*}
    case $name in
      LD_LIBRARY_PATH)
        [[ ${entry#*=} == /.singularity.d/libs ]] || others+=("$entry")
        ;;
      LD_* | GCONV_PATH | LOCPATH | NLSPATH | GLIBC_TUNABLES) others+=("$entry") ;;
      *[!A-Za-z0-9_]* | [0-9]* | BASH* | _ | *UID | PPID | SHELLOPTS | SHLVL | *PWD | GROUPS | \
        DIRSTACK | FUNCNAME | HISTCMD | LINENO | *RANDOM | SECONDS | EPOCH* | IFS | POSIXLY_CORRECT)
        strange+=("$entry")
        ;;
      *) printf 'export %s=%q\n' "$name" "${entry#*=}" ;;
    esac
  done <"/proc/$1/environ"
  ((${#others[@]} == 0)) || others=(env -- "${others[@]}")
  printf '} 2>/dev/null\nexport -n PWD OLDPWD\nexec %q -u SHLVL -u _ --' "$env_program"
  ((${#strange[@]} == 0)) || printf ' %q' "${strange[@]}"
  printf ' "%s" </dev/null\n' '$@'
}
