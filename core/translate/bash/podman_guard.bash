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
