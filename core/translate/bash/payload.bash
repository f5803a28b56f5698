# Large files stand behind the end of the script: unpack <file> <bytes from the end> <bytes> <raw or
# base64>. The offset counts from the end, so that whoever submits the script may put lines before it.
unpack() {
  local file=run/payload/$1
  if [[ $4 == base64 ]]; then
    tail -c "$2" -- "$script" | head -c "$3" | base64 -d >"$file"
  else
    tail -c "$2" -- "$script" | head -c "$3" >"$file"
  fi
}

# check_payload <line of sha256sum>...
check_payload() {
  printf '%s\n' "$@" >run/payload/sums
  sha256sum -c --quiet -- run/payload/sums >/dev/null 2>&1 && return
  if words=$(printf '\n' 2>&1 >>run/payload/sums); then
    problem='the data behind the end of the script is damaged: its SHA-256 sums do not match'
  else
    cannot_write run/payload
  fi
}

# install_file <mode> <file> <path>
install_file() {
  install -m "$1" -- "run/payload/$2" "$3" ||
    words=$(install -m "$1" -- "run/payload/$2" "$3" 2>&1) || cannot_write "$3"
}
