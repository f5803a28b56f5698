# The containers' file of hosts is the pool's, with more: a container's own name must lead somewhere,
# and the pod may name others.
write_hosts() {
  local lines=()
  mapfile lines </etc/hosts
  umask 022 # Containers of other users read it.
  { printf '%s' "${lines[@]}" && printf '%s\n' "${host_lines[@]}"; } >run/hosts ||
    problem='cannot write the file of hosts'
  umask 077
}
