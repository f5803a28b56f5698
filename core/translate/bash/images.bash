# Images, for runtimes that have them. An image that is not at hand is fetched beside the supervisor,
# by a process that says "image <i> ok", "failed" or "hopeless" when it is done. The runtime's piece
# defines find_image <i>, which costs nothing and leaves the image's place, and fetch_image <i>.
image_place=() image_id=() image_tries=() image_pause=() fetchers=()

image_is_ready() {
  [[ -z ${image_place[$1]-} ]] || return 0
  find_image "$1" && return
  begin_fetch "$1"
  return 1
}

begin_fetch() {
  local i=$1
  set -m # A process group of its own, to be ended as one.
  (
    set +m
    trap - TERM INT HUP
    close_files 8
    guard_group "$BASHPID" "$i"
    rm -f -- "run/${names[i]}.image" "run/${names[i]}.image_error"
    fetch_image "$i"
    case $? in
      0) printf 'image %s ok\n' "$i" >&8 ;;
      2) printf 'image %s hopeless\n' "$i" >&8 ;;
      *) printf 'image %s failed\n' "$i" >&8 ;;
    esac
  ) >"run/${names[i]}.fetch_log" 2>&1 &
  fetchers[i]=$!
  set +m
  phase[i]=fetching state[i]=waiting reason[i]=ContainerCreating dirty[i]=1
  message[i]="fetches image ${image_names[i]}"
}

end_fetch() {
  { kill -KILL -- "-${fetchers[$1]}" && wait_for "${fetchers[$1]}"; } 2>/dev/null
  forget_fetch "$1"
}

# A fetch is over: on_image <i> <ok, failed or hopeless>.
on_image() {
  local i=$1 words=''
  [[ ${phase[i]} == fetching ]] || return 0
  read_clock
  if [[ $2 == ok ]]; then
    { IFS= read -r 'image_place[i]' && IFS= read -r 'image_id[i]'; } <"run/${names[i]}.image"
    start_container "$i"
    return
  fi
  { IFS= read -r -d '' words <"run/${names[i]}.image_error"; } 2>/dev/null
  words=${words:-the fetching of the image ended without a word}
  image_tries[i]=$((${image_tries[i]:-0} + 1))
  if [[ $2 == hopeless ]] || ((image_tries[i] > pull_retries)); then
    code[i]=128 signal[i]=0 reason[i]=ErrImagePull message[i]=$words
    [[ $2 != hopeless || $words != *imagePullPolicy* ]] || reason[i]=ErrImageNeverPull
    phase[i]=ended state[i]=terminated dirty[i]=1
    stop_after_failed_init "$i"
    return
  fi
  image_pause[i]=$((${image_pause[i]:-0} == 0 ? image_back_off_first : image_pause[i] * 2))
  ((image_pause[i] > image_back_off_limit)) && image_pause[i]=$image_back_off_limit
  retry_at[i]=$((now + image_pause[i]))
  phase[i]=fetch_back_off reason[i]=ImagePullBackOff message[i]=$words dirty[i]=1
}

notice_lost_fetch() {
  kill -0 "${fetchers[$1]}" 2>/dev/null || on_image "$1" failed
}
