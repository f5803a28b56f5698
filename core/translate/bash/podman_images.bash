# Brings images into the store of Podman or Docker, which is the pool's cache of them.

# Whether an image is there costs a call of the program, so that is asked beside the supervisor, too.
find_image() {
  [[ -z $1 ]]
}

# Leaves what is to be known of the image in run/<name>.image, in lines: its id; its name with the
# digest; and its user, working directory and signal to stop. Or words in run/<name>.image_error.
fetch_image() {
  local image=${images[$1]} policy=${image_policies[$1]} files=run/${names[$1]} words='' line
  if [[ $policy != Always ]] && inspect_image "$image" "$files"; then return 0; fi
  if [[ $policy == Never ]]; then
    printf 'imagePullPolicy is Never, and %s is not here' "$image" >"$files.image_error"
    return 2
  fi
  if pull_image "$image" "$policy" "$files"; then
    read -r line <"$files.pulled"
    inspect_image "${line:-$image}" "$files" && return 0
    words="$image was pulled and is not here"
  else
    while read -r line; do [[ -z $line ]] || words=$line; done <"$files.pull_words"
  fi
  printf '%s' "${words:0:1000}" >"$files.image_error"
  return 1
}

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

inspect_image() {
  local id='' names_with_digest='' facts=()
  {
    read -r id && read -r names_with_digest
    mapfile -t facts
  } < <("${engine[@]}" image inspect --format \
    $'{{.Id}}\n{{range .RepoDigests}}{{.}} {{end}}\n{{.Config.User}}\n{{.Config.WorkingDir}}\n{{.Config.StopSignal}}' \
    "$1" 2>/dev/null)
  [[ -n $id ]] || return
  names_with_digest=${names_with_digest%% *}
  printf '%s\n' "$id" "${names_with_digest:-sha256:${id#sha256:}}" "${facts[@]}" >"$2.image"
}
