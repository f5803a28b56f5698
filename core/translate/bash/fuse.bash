# FUSE file systems that the pod brings a mount script for, run at the pool and shown to containers
# like any folder. They are there before the first container, and gone after the last.
fuse_names=() fuse_pids=() fuse_places=()

# start_fuse <volume> <script> <sub path> <folder>: the folder of the sandbox to mount at.
start_fuse() {
  local place=$sandbox/$4
  [[ -z $problem ]] || return
  if [[ ! -e /dev/fuse ]]; then
    problem="volume $1: there is no /dev/fuse at this pool" problem_reason=CreateContainerError
    return
  fi
  printf '%s\n' "$4" >>run/fuse_places
  start_beside "fuse-${4##*/}" env CACHEDIR="$fuse_cache" SUB_PATH="$3" \
    MOUNT_POINT="$place" "$sandbox/$2" "$3" "$place"
  fuse_names+=("$1") fuse_pids+=("$beside") fuse_places+=("$4")
}

# Whether something is mounted there, as the kernel sees it.
is_mount_point() {
  local place=$sandbox/$1 point
  place=${place//\\/\\134}
  place=${place// /\\040}
  place=${place//$'\t'/\\011}
  place=${place//$'\n'/\\012}
  while read -r _ _ _ _ point _; do [[ $point == "$place" ]] && return; done </proc/self/mountinfo
  return 1
}

wait_for_fuse() {
  local i limit
  read_clock
  limit=$((now + fuse_wait * 100))
  for ((i = 0; i < ${#fuse_pids[@]}; i++)); do
    until is_mount_point "${fuse_places[i]}"; do
      is_called_off && return
      if ! kill -0 "${fuse_pids[i]}" 2>/dev/null; then
        is_mount_point "${fuse_places[i]}" && break # It went into the background.
        fuse_failed "$i" ''
        return
      fi
      if ((now >= limit)); then
        kill -KILL -- "-${fuse_pids[i]}" 2>/dev/null
        fuse_failed "$i" "has not mounted within $fuse_wait seconds, was killed and "
        return
      fi
      read -r -t 0.05 -u "$pause" _
    done
  done
}

fuse_failed() {
  local words
  tell_end "fuse-${fuse_places[$1]##*/}" "${fuse_pids[$1]}"
  problem="volume ${fuse_names[$1]}: its mount script $2$words" problem_reason=CreateContainerError
}

# Also run by the guard, when the script was killed: it knows no more than what is written down.
unmount_all() {
  local place
  while IFS= read -r place; do
    is_mount_point "$place" && unmount "$sandbox/$place" "$1"
  done <run/fuse_places
}

# unmount <place> <lazy or clean>
unmount() {
  local program
  if ((EUID == 0)); then
    if [[ $2 == lazy ]]; then umount -l -- "$1"; else umount -- "$1"; fi
    return
  fi
  find_program fusermount3
  [[ -n $program ]] || find_program fusermount
  if [[ $2 == lazy ]]; then "$program" -u -z -- "$1"; else "$program" -u -- "$1"; fi
} 2>/dev/null

# Unmounted, a script ends by itself, in its own time: it may have data to write.
end_fuse() {
  local pid limit
  [[ -e run/fuse_places ]] || return
  unmount_all clean
  for pid in "${fuse_pids[@]}"; do
    read_clock
    limit=$((now + 1000))
    while kill -0 "$pid" 2>/dev/null && ((now < limit)); do
      read -r -t 0.05 -u "$pause" _
      read_clock
    done
  done
  end_beside
  unmount_all lazy
}
