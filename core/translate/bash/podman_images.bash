# Brings images into the store of Podman or Docker.

# One pull at a time of each image on this machine; who waited finds it there.
pull_image() {
  local image=$1 policy=$2 files=$3 folder=${XDG_RUNTIME_DIR:-/tmp}/podferry.$EUID name options=(--quiet)
  [[ -z $image_platform ]] || options+=(--platform "$image_platform")
  name=${image//[!A-Za-z0-9._-]/_}
  mkdir -m 700 -- "$folder" 2>/dev/null
  (
    if [[ -O $folder && ! -L $folder ]] && exec 9>"$folder/${name:0:200}.lock"; then
      flock -w "$pull_timeout" 9
      [[ $policy != IfNotPresent ]] || ! inspect_image "$image" "$files" || exit 0
    fi
    timeout "$pull_timeout" "${engine[@]}" pull "${options[@]}" "$image" 9>&- && exit
    status=$?
    ((status != 124)) || printf 'not pulled within %s seconds\n' "$pull_timeout" >&2
    exit "$status"
  ) >"$files.pulled" 2>"$files.pull_words"
}

# What is to be known of an image that is here, in lines: its id, user, working directory, signal to
# stop, and names with digests.
inspect_image() {
  "${engine[@]}" image inspect --format $'{{.Id}}\n{{.Config.User}}\n{{.Config.WorkingDir}}\n{{.Config.StopSignal}}\n{{range .RepoDigests}}{{.}} {{end}}' \
    "$1" >"$2.image_config" 2>/dev/null
}

# Leaves words in run/<name>.image_error when it cannot.
fetch_image() {
  local image=${images[$1]} policy=${pull_policies[$1]} files=$sandbox/run/${names[$1]} words='' line
  if [[ $policy != Always ]] && inspect_image "$image" "$files"; then return; fi
  if [[ $policy == Never ]]; then
    words="$image is not here, and the pull policy is Never"
  elif pull_image "$image" "$policy" "$files"; then
    read -r line <"$files.pulled"
    inspect_image "${line:-$image}" "$files" && return
    words="$image was pulled and is not here"
  else
    while read -r line; do [[ -z $line ]] || words=$line; done <"$files.pull_words"
  fi
  printf '%s\n' "${words:0:1000}" >"$files.image_error"
  return 1
}
