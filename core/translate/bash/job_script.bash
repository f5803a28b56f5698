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
  signal_plain TERM "$1"
}
kill_container() {
  signal_plain KILL "$1"
}
