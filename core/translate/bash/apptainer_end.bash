# Containers under Apptainer that are there already: whether they came to be, how they are ended.
was_created() {
  [[ ! -s run/${names[$1]}.variables ]] || return
  ((code[$1] == 255)) || return 0
  find_last_words "$1"
  # What a shell would say of a command that is not there, or is none.
  case $last_words in
    'FATAL: '*'executable file not found in $PATH' | 'FATAL: '*': no such file or directory' | \
      'FATAL: '*'shared library is likely missing in the image') code[$1]=127 ;;
    'FATAL: '*'permission denied' | 'FATAL: '*'is a directory' | 'FATAL: '*'exec format error')
      code[$1]=126
      ;;
  esac
}
find_last_words() {
  last_words=$(tail -c 500 -- "logs/${names[$1]}/${restarts[$1]}.log")
  last_words=${last_words##*$'\n'}
}

# Whether a container that did not come to be can be started in another way.
needs_another_try() {
  [[ -s run/${names[$1]}.variables && ! -e run/${names[$1]}.no_workdir ]] || return
  find_last_words "$1"
  [[ $last_words == 'FATAL: '*'failed to set working directory: chdir '*': no such file or directory' ]] ||
    return
  : >"run/${names[$1]}.no_workdir"
}

# The first process of a container's namespace, in `init`. Its first child is the container's, or it
# is that itself where Apptainer runs no process of its own (--no-init).
find_init() {
  local parent key value
  init=''
  find_children "${pids[$1]}"
  for parent in "${children[@]}"; do
    while IFS=$':\t' read -r key value; do
      [[ $key == NSpid && $value == *[[:space:]]1 ]] && init=$parent
    done 2>/dev/null <"/proc/$parent/status"
  done
}
find_payload() {
  find_init "$1"
  payload=$init
  [[ -n $init ]] || return
  ((!no_init)) || return 0
  find_children "$init"
  payload=${children[0]-}
}

terminate_container() {
  local init payload
  find_stop_signal "$1"
  find_payload "$1"
  if [[ -n $payload && ! -s run/${names[$1]}.variables ]]; then
    kill -s "$stop_signal" "$payload" 2>/dev/null
  else
    kill_container "$1"
  fi
}
kill_container() {
  local init
  find_init "$1"
  kill -KILL "${init:-${pids[$1]}}" 2>/dev/null
}
