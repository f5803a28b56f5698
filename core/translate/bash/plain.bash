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
