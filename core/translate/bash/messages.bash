# A container's last words: what it wrote to a file that is mounted for that, or the end of its log.

# Anyone in the container may write to it.
empty_message() {
  ((message_files[$1])) || return 0
  umask 0
  : >"run/${names[$1]}.message"
  umask 077
}

# Leaves them in message[i], if there are any: the last 4096 bytes of the file, else the last 80 lines
# of a log whose container failed, 2048 bytes at most.
read_message() {
  local i=$1 file=run/${names[$1]}.message text=''
  # The x keeps what $() would cut off.
  if ((message_files[i])) && [[ -s $file ]]; then
    text=$(tail -c 4096 -- "$file" && echo x)
  fi 2>/dev/null
  if [[ -z $text ]] && ((log_messages[i] && code[i] != 0)); then
    text=$(tail -n 80 -- "logs/${names[i]}/${restarts[i]}.log" | tail -c 2048 && echo x)
  fi 2>/dev/null
  [[ -z $text ]] || message[i]=${text%x}
}
