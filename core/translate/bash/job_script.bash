# The runtime of a pod that came with a script of its own: mere processes of the pool.
prepare_runtime() {
  prepare_plain
}
run_container() {
  run_plain
}
was_created() {
  :
}
terminate_container() {
  find_stop_signal "$1"
  signal_plain "$stop_signal" "$1"
}
kill_container() {
  signal_plain KILL "$1"
}
