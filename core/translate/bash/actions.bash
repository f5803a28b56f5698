# What probes and hooks do: run a command in a container, ask over HTTP or gRPC, connect, wait. Each
# time in a process group of its own, so that nothing here holds up the supervisor, and what hangs
# is killed with all it started. The containers share the machine's network: the pod is 127.0.0.1.
#
# An action prints words about its failure and returns 0 if it went well.

# Before the first container: HTTP is asked by curl.
prepare_actions() {
  ((needs_curl)) || return 0
  find_program curl
  curl=$program
  if [[ ! -x $curl ]]; then
    problem='HTTP and gRPC probes and hooks need curl, and there is none at this pool'
  elif ((needs_http2)) && [[ $("$curl" --version) != *HTTP2* ]]; then
    problem='gRPC probes need a curl that knows HTTP/2, and that of this pool does not'
  fi
}

# start_action <name of its files> <event> <function>: the event, with "ok" or "failed" behind it, is
# written to fd 8. Leaves the leader of the process group in `action`.
start_action() {
  local files=$sandbox/run/$1
  set -m
  (
    set +m
    trap - TERM INT HUP
    exec {life}>&-
    find_birth "$BASHPID"
    printf '%s %s\n' "$BASHPID" "$born" >"$files.group"
    if "$3"; then result=ok; else result=failed; fi
    printf '%s %s\n' "$2" "$result" >&8
  ) </dev/null >"$files.words" 2>&1 &
  action=$!
  disown "$action" # Nobody waits for it, and nothing is said when it is killed.
  set +m
}

# forget_action <name of its files>: the number of its process group may be another's from now on.
forget_action() {
  : >"run/$1.group"
}
kill_action() {
  kill -KILL -- "-$2" 2>/dev/null
  forget_action "$1"
}

# What an action said, in `words`.
read_words() {
  words=''
  { IFS= read -r -d '' -n 1000 words <"run/$1.words"; } 2>/dev/null
  words=${words%"${words##*[![:space:]]}"}
}

# run_command <container> <argv...>
run_command() {
  (
    close_files 0
    enter_container "$@"
  )
}

connect_to() {
  { true 3<>"/dev/tcp/$1/$2"; } 2>/dev/null && return
  printf 'cannot connect to %s:%s\n' "$1" "$2"
  return 1
}


# A line of curl's configuration. That is a file: headers and paths may be secret.
set_curl() {
  local value=${2//\\/\\\\}
  printf '%s = "%s"\n' "$1" "${value//'"'/'\"'}"
}

# configure_curl <URL> <header...>
configure_curl() {
  local header
  printf '%s\n' silent show-error globoff insecure 'max-filesize = 10240' 'noproxy = "*"'
  ((allowed == 0)) || printf 'max-time = %s\n' "$allowed"
  set_curl url "$1"
  shift
  for header; do set_curl header "$header"; done
}

find_host_of() {
  host=${1#*://}
  host=${host%%[/?#]*}
  host=${host##*@}
  if [[ $host == '['* ]]; then host=${host%%']'*}; else host=${host%%:*}; fi
}

# get <URL> <header...>: leaves the answer's code in `answer`, 000 if there was none. Redirections
# are followed on the same host only, ten at most, as the kubelet does it.
get() {
  local url=$1 hop first host status place
  shift
  find_host_of "$url"
  first=$host
  for ((hop = 0; hop < 10; hop++)); do
    {
      configure_curl "$url" "$@"
      printf '%s\n' 'output = "/dev/null"' 'write-out = "%{http_code} %{redirect_url}"'
      [[ ! $url =~ /\.\.?(/|$|\?) ]] || echo path-as-is
    } >"$files.curl"
    { answer=$(exec "$curl" -q -K "$files.curl" 2>&4); } 4>&1
    status=$? place=${answer#* } answer=${answer%% *}
    ((status == 0 || status == 63)) || answer=000 # 63: enough was read.
    [[ $answer == 3* && -n $place ]] || return 0
    find_host_of "$place"
    [[ $host == "$first" ]] || return 0
    [[ $place == http://* || $place == https://* ]] || break
    url=$place
  done
  answer=000
  echo 'stopped after 10 redirections'
}

# A probe is content with 200 to 399, a hook with any answer.
probe_http() {
  local answer=000
  get "$@"
  [[ $answer != 000 ]] || return 1
  ((answer >= 200 && answer < 400)) && return
  printf 'HTTP probe failed with statuscode: %s\n' "$answer"
  return 1
}
call_http() {
  local answer=000
  get "$@"
  [[ $answer != 000 ]]
}

# probe_grpc <host> <port> <request, with octal escapes>: grpc.health.v1.Health/Check over HTTP/2
# without TLS. A message is a zero, four bytes of length, and the Protobuf: 08 01 says SERVING.
probe_grpc() {
  local part bytes='' line status='' words=''
  printf '%b' "$3" >"$files.request"
  : >"$files.answer"
  {
    configure_curl "http://$1:$2/grpc.health.v1.Health/Check" 'Content-Type: application/grpc' \
      'TE: trailers' 'User-Agent: kube-probe/1.35'
    printf '%s\n' http2-prior-knowledge
    set_curl data-binary "@$files.request"
    set_curl dump-header "$files.headers"
    set_curl output "$files.answer"
  } >"$files.curl"
  "$curl" -q -K "$files.curl" || return 1
  while IFS= read -r line; do
    line=${line%$'\r'}
    case $line in
      [Gg]rpc-[Ss]tatus:*) status=${line#*: } ;;
      [Gg]rpc-[Mm]essage:*) words=${line#*: } ;;
    esac
  done <"$files.headers"
  while IFS= read -r -d '' part; do bytes+=$part.; done <"$files.answer"
  bytes+=$part
  [[ $status == 0 && $bytes == $'....\x02\x08\x01' ]] && return
  printf 'gRPC health check: status %s, not serving %s\n' "${status:-missing}" "$words"
  return 1
}
