# A job script that came with the pod runs in place of its containers: `leader` is the container
# whose log and end are the script's, and the others take over its state.
follow_leader() {
  local i
  for ((i = 0; i < count; i++)); do
    [[ ${phase[i]} == follows ]] || continue
    state[i]=${state[leader]} reason[i]=${reason[leader]} message[i]=${message[leader]}
    code[i]=${code[leader]} signal[i]=${signal[leader]} started[i]=${started[leader]}
    finished[i]=${finished[leader]} dirty[i]=${dirty[leader]} restarts[i]=${restarts[leader]}
    ready[i]=${ready[leader]}
    # What it does first is its own affair: init containers count as done once it runs.
    if [[ ${roles[i]} == init && ${state[i]} != waiting ]]; then
      state[i]=terminated reason[i]=Completed message[i]='' code[i]=0 signal[i]=0
      finished[i]=${started[i]}
    fi
  done
}
