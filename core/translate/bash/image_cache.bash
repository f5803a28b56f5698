# The site's cache of images, shared by its nodes. One job fills it, others wait; nobody ever sees half
# an image. Beside an image <file> lie <file>.info (source, digest) and, while it is
# fetched, <file>.lock, a folder, since locks on files are not to be trusted between nodes.

# Leaves in image_place[i] an image that needs no fetching.
find_image() {
  local i=$1 place
  for place in "${image_places[i]}" "${image_dir:+$image_dir/${image_site_files[i]}}" \
    "${image_dir:+$image_dir/${image_files[i]}}" "${cvmfs:+$cvmfs/${image_names[i]}}"; do
    if [[ $place == /*[!/] && -e $place ]]; then
      image_place[i]=$place image_id[i]=${image_digests[i]}
      [[ $place != "$image_dir"/* ]] || read_info "$i" "$place"
      return
    fi
  done
  [[ ${image_policies[i]} != Always ]] && find_cached "$i"
}

find_cached() {
  local file=$image_cache/${image_files[$1]}
  [[ -n ${image_files[$1]} && -f $file ]] || return
  image_id[$1]=''
  read_info "$1" "$file" || return
  image_place[$1]=$file
}

# What is known of an image. False if it came from elsewhere: two names may lead to one file.
read_info() {
  local source='' id=''
  [[ -r $2.info ]] || return 0
  { IFS= read -r source && IFS= read -r id; } <"$2.info"
  [[ $source == "${image_sources[$1]}" ]] || return
  image_id[$1]=$id
}

# fail_fetch <i> <words>
fail_fetch() {
  printf '%s' "$2" >"run/${names[$1]}.image_error"
}

# Seconds since the lock's holder showed itself; both times are the file server's.
find_age_of_lock() {
  local held_at='' now_there=''
  age=0
  : >"$1.$unique.probe" || return
  { read -r held_at && read -r now_there; } < <(stat -c %Y -- "$1.lock" "$1.$unique.probe" 2>/dev/null)
  rm -f -- "$1.$unique.probe"
  [[ -z $held_at || -z $now_there ]] || age=$((now_there - held_at))
}

lock_is_dead() {
  local boot='' here='' pid='' birth=''
  { read -r boot pid birth <"$1.lock/holder"; } 2>/dev/null
  read -r here </proc/sys/kernel/random/boot_id
  if [[ $boot == "$here" ]]; then
    find_birth "$pid"
    [[ $born != "$birth" ]]
    return
  fi
  find_age_of_lock "$1"
  ((age > 60))
}

# Waits until this job may fill the place. Who holds the lock shows itself every few seconds.
lock_image() {
  local file=$1 boot='' rounds=0 failures=0
  find_birth "$BASHPID"
  read -r boot </proc/sys/kernel/random/boot_id
  until mkdir -- "$file.lock" 2>/dev/null; do
    [[ -d $file.lock ]] || ((++failures < 5)) || return
    ((rounds += 1))
    if ((rounds % 10 == 0)) && lock_is_dead "$file"; then
      # Only one can rename it.
      mv -T -- "$file.lock" "$file.$unique.dead" 2>/dev/null && rm -rf -- "$file.$unique.dead"
    fi
    read -r -t 0.2 -u 6
  done
  printf '%s %s %s\n' "$boot" "$BASHPID" "$born" >"$file.lock/holder"
}
unlock_image() {
  rm -rf -- "$1.lock"
}

# What an unfinished fetch leaves.
forget_fetch() {
  local file=$image_cache/${image_files[$1]} holder=''
  [[ -n ${image_files[$1]} ]] || return 0
  rm -rf -- "$file.$unique.$1."*
  { read -r _ holder _ <"$file.lock/holder"; } 2>/dev/null
  [[ $holder != "${fetchers[$1]-}" ]] || rm -rf -- "$file.lock"
}

# hold_lock <file> <pid>: waits a moment for a process, and shows that the lock is held; false when
# the process has ended.
hold_lock() {
  kill -0 "$2" 2>/dev/null || return
  read -r -t 0.1 -u 6
  ((SECONDS % 5 != 0)) || touch -c -- "$1.lock"
}

fetch_image() {
  local i=$1 file=$image_cache/${image_files[$1]} born_before result
  exec 6<> <(:) # For pauses.
  if [[ -n ${image_places[i]} ]]; then
    fail_fetch "$i" "there is no ${image_places[i]} at this pool"
    return 2
  fi
  if [[ ${image_policies[i]} == Never ]]; then
    fail_fetch "$i" "image ${image_names[i]} is not at this pool, and imagePullPolicy is Never"
    return 2
  fi
  if ! (umask 022 && mkdir -p -- "${file%/*}"); then
    fail_fetch "$i" "cannot make ${file%/*} in the cache of images"
    return 1
  fi
  born_before=run/${names[i]}.fetch_began
  : >"$born_before"
  if ! lock_image "$file"; then
    fail_fetch "$i" "cannot write to ${file%/*} in the cache of images"
    return 1
  fi
  add_garbage "$file.$unique.$i.part"
  # Somebody else may have fetched it since.
  if [[ ${image_policies[i]} != Always || $file.info -nt $born_before ]] && find_cached "$i"; then
    result=0
  else
    fill_cache "$i" "$file"
    result=$?
  fi
  forget_fetch "$i"
  unlock_image "$file"
  ((result == 0)) || return "$result"
  printf '%s\n' "${image_place[i]}" "${image_id[i]}" >"run/${names[i]}.image"
}

# Registry proxy, then the image's own registry; a whole image is moved to its place.
fill_cache() {
  local i=$1 file=$2 new=$2.$unique.$1.part
  image_id[i]=''
  umask 022
  rm -rf -- "$new"
  if ! ask_proxy "$i" "$file" "$new"; then
    rm -rf -- "$new"
    pull_image "$i" "$file" "$new" || return
  fi
  if [[ $pulled == same ]]; then # What is in the cache is what the registry has.
    find_cached "$i"
    return
  fi
  inspect_image "$i" "$new" || return
  printf '%s\n' "${image_sources[i]}" "${image_id[i]}" >"$new.info"
  # The image's facts are never those of another: they go first and come last.
  rm -f -- "$file.info"
  if ! mv -fT -- "$new" "$file" || ! mv -fT -- "$new.info" "$file.info"; then
    fail_fetch "$i" "cannot write $file"
    return 1
  fi
  image_place[i]=$file
}

# A proxy gives images that are built already. Its sum is compared with what came.
ask_proxy() {
  local i=$1 file=$2 new=$3 sum='' got=''
  pulled=new
  # It says nothing of digests.
  [[ -n $proxy && ${image_sources[i]} == docker://* && -z ${image_digests[i]} ]] || return
  find_program curl
  [[ -x $program ]] || return
  (umask 077 && printf 'header = "X-Token: %s"\nfail\nsilent\nshow-error\nmax-time = %s\n' \
    "$proxy_token" "$pull_timeout" >"run/${names[i]}.proxy")
  sum=$("$program" -K "run/${names[i]}.proxy" "http://$proxy/get-docker-md5/${image_names[i]}") || return
  sum=${sum//[!0-9a-f]/}
  [[ ${#sum} == 32 ]] || return
  "$program" -K "run/${names[i]}.proxy" -o "$new" \
    "http://$proxy/get-docker/${image_names[i]}" &
  while hold_lock "$file" $!; do :; done
  wait $! || return
  got=$(md5sum <"$new")
  [[ ${got%% *} == "$sum" ]]
}
