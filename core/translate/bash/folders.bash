# The sandbox is closed to others, what is in it need not be. Bash reads on meanwhile.
(umask 0 && cd -P -- "$sandbox" && exec mkdir -p -- "${folders[@]}") &
folders_pid=$!
wait_for_folders() {
  wait_for "$folders_pid"
  ((status == 0)) || problem='cannot make the folders of the sandbox'
}
