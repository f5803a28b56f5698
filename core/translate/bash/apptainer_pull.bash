# Fetching an image with Apptainer. Its own cache is not used: the site's takes its place.

# pull_image <i> <file> <new file>. What it learns of the digest tells whether the image in the cache
# is still the one that is asked for; then `pulled` is "same", and nothing is fetched.
pull_image() {
  local i=$1 file=$2 new=$3 log=run/${names[$1]}.pull_log known='' digest='' pid
  local call=("$apptainer" --nocolor)
  case ${image_sources[i]} in
    *-archive:*) call+=(build --force --disable-cache) ;;
    *) call+=(--debug pull --force --disable-cache) ;;
  esac
  [[ -z $image_architecture || ${call[3]} != pull ]] || call+=(--arch "$image_architecture")
  [[ ! -f $file ]] || { read_info "$i" "$file" && known=${image_id[i]}; }
  find_program timeout
  mkdir -p -- "$scratch/$i.pull"
  APPTAINER_TMPDIR=$scratch/$i.pull SINGULARITY_TMPDIR=$scratch/$i.pull "$program" --foreground \
    -k 10 "$pull_timeout" "${call[@]}" "$new" "${image_sources[i]}" >"$log" 2>&1 &
  pid=$!
  while hold_lock "$file" "$pid"; do
    [[ -n $known && -z $digest ]] || continue
    find_digest "$log"
    if [[ $digest == "$known" ]]; then
      kill -TERM "$pid"
      pulled=same
    fi
  done
  wait "$pid"
  status=$?
  rm -rf -- "$scratch/$i.pull"
  find_digest "$log"
  if [[ $pulled == same ]]; then return; fi
  if ((status != 0)) || [[ ! -s $new ]]; then
    explain_pull "$i" "$log"
    return 1
  fi
  image_id[i]=${image_digests[i]:-$digest}
}

find_digest() {
  local line
  digest=''
  while IFS= read -r line; do
    [[ $line =~ 'source image digest for '.*' is '([0-9a-f]{64})$ ]] || continue
    digest=sha256:${BASH_REMATCH[1]}
    return
  done <"$1"
}

# Leaves Apptainer's own words for a failure.
explain_pull() {
  local line words=''
  while IFS= read -r line; do
    [[ $line =~ ^(FATAL|ERROR)\ *:?\ *(\[[^]]*\]\ *[A-Za-z0-9]+\(\)\ *)?(.*) ]] || continue
    words+=${words:+; }${BASH_REMATCH[3]}
  done <"$2"
  ((status != 124)) || words="not there after $pull_timeout seconds (images.pull_timeout_seconds)"
  fail_fetch "$1" "${words:-fetching ${image_sources[$1]} ended with exit code $status}"
}

# An image that cannot be read is none.
inspect_image() {
  local text
  text=$("$apptainer" --nocolor sif list "$2" 2>&1) && return
  fail_fetch "$1" "what was fetched is no image: $text"
  return 1
}
