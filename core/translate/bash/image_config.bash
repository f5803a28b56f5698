# What an image says of itself: a SIF file holds Docker's configuration as text, before its file system.

# Leaves it in `config`, as JSON, or nothing.
read_config() {
  local text=''
  config=''
  [[ -f $1 ]] || return 0
  IFS= read -r -d '' text < <(head -c 131072 -- "$1" | grep -a -z -m 1 -e '}{"')
  # Two values of JSON with nothing between: within a string there would be a \ before the ".
  [[ $text == *'}{"'* ]] && config='{"'${text#*'}{"'}
}

# read_strings <key>: a list of strings of `config`, in `strings`. False if it is not there.
read_strings() {
  local rest=${config#*"\"$1\":["} one='^,?"(([^"\\]|\\.)*)"' value
  strings=()
  [[ $config == *"\"$1\":["* ]] || return
  while [[ $rest =~ $one ]]; do
    rest=${rest:${#BASH_REMATCH[0]}}
    unescape "${BASH_REMATCH[1]}"
    strings+=("$value")
  done
}

unescape() {
  local rest=$1 code
  value=''
  while [[ $rest == *\\* ]]; do
    value+=${rest%%\\*}
    rest=${rest#*\\}
    case $rest in
      u00*)
        code=${rest:3:2}
        printf -v code '%b' "\\x$code"
        value+=$code
        rest=${rest:5}
        continue
        ;;
      n*) value+=$'\n' ;;
      r*) value+=$'\r' ;;
      t*) value+=$'\t' ;;
      b*) value+=$'\b' ;;
      f*) value+=$'\f' ;;
      *) value+=${rest:0:1} ;;
    esac
    rest=${rest:1}
  done
  value+=$rest
}

# One string of `config`, in `value`.
read_string() {
  local rest=${config#*"\"$1\":"} one='^"(([^"\\]|\\.)*)"'
  value=''
  [[ $config == *"\"$1\":"* && $rest =~ $one ]] && unescape "${BASH_REMATCH[1]}"
}
