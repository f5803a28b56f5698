# Volumes that have a limit are measured now and then, as the kubelet does: a pod that outgrows one
# is evicted. By a process of its own, whose stdin ends with the script.
sized_volumes=() size_limits=() size_bytes=() sized_folders=()

# limit_size <volume> <limit as written> <bytes> <folder>
limit_size() {
  sized_volumes+=("$1") size_limits+=("$2") size_bytes+=("$3") sized_folders+=("$4")
}

watch_sizes() {
  local pause=$size_check_first i used
  trap '' TERM INT HUP
  exec {life}>&-
  while :; do
    read -r -t "$pause" _
    (($? > 128)) || return # Nobody writes: it is the end.
    pause=$size_check_every
    for ((i = 0; i < ${#sized_folders[@]}; i++)); do
      used=$(exec du -sx --block-size=1 -- "${sized_folders[i]}" 2>/dev/null)
      used=${used%%[!0-9]*}
      ((${used:-0} > size_bytes[i])) || continue
      printf 'evict Usage of EmptyDir volume "%s" exceeds the limit "%s".\n' \
        "${sized_volumes[i]}" "${size_limits[i]}" >&8
      return
    done
  done
}

sizes=''
start_watching_sizes() {
  exec {sizes}> >(watch_sizes)
}
stop_watching_sizes() {
  [[ -z $sizes ]] || exec {sizes}>&-
}
