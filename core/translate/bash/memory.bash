# Limits of memory and processor time: a cgroup of its own for each attempt of a container, where one
# can be made below the script's own (v2, or the controllers of v1); else a limit on each process'
# data. Only a cgroup can say that the kernel killed for memory.
#
# run/<name>.cgroup lists an attempt's: "<how it tells of kills> <folder>".
cgroup_root=/sys/fs/cgroup

# Leaves in `memory_cgroup` and `cpu_cgroup` where this process is; empty where that is not known.
find_cgroups() {
  local controllers path
  memory_cgroup='' cpu_cgroup=''
  while IFS=: read -r _ controllers path; do
    [[ $path != / ]] || path=''
    case ,$controllers, in
      ,,)
        [[ ! -e $cgroup_root/cgroup.controllers ]] ||
          memory_cgroup=$cgroup_root$path cpu_cgroup=$cgroup_root$path
        ;;
      *,memory,*) memory_cgroup=$cgroup_root/$controllers$path ;;
      *,cpu,*) cpu_cgroup=$cgroup_root/$controllers$path ;;
    esac
  done <"/proc/$BASHPID/cgroup"
}

# write_limit <file> <value>: false where the kernel does not take it.
write_limit() {
  [[ -e $1 ]] && { printf '%s\n' "$2" >"$1"; } 2>/dev/null
}

# make_cgroup <parent> <how it tells of kills>: leaves its folder in `cgroup`.
make_cgroup() {
  cgroup=''
  [[ -n $1 && -w $1/cgroup.procs ]] || return
  mkdir -- "$1/podferry.$$.${names[container]}.${restarts[container]}" 2>/dev/null || return
  cgroup=$1/podferry.$$.${names[container]}.${restarts[container]}
  printf '%s %s\n' "$2" "$cgroup" >>"$sandbox/run/${names[container]}.cgroup"
}

limit_memory() {
  if [[ -e $memory_cgroup/memory.limit_in_bytes ]]; then
    make_cgroup "$memory_cgroup" oom_control || return
    write_limit "$cgroup/memory.limit_in_bytes" "$1" || return
    write_limit "$cgroup/memory.memsw.limit_in_bytes" "$1"
  else
    write_limit "$memory_cgroup/cgroup.subtree_control" '+memory'
    make_cgroup "$memory_cgroup" events || return
    write_limit "$cgroup/memory.max" "$1" || return
    write_limit "$cgroup/memory.swap.max" 0
    write_limit "$cgroup/memory.oom.group" 1
  fi
  write_limit "$cgroup/cgroup.procs" "$BASHPID"
}

# In thousandths of a processor, for periods of 0.1 s.
limit_cpu() {
  local quota=$(($1 * 100))
  ((quota >= 1000)) || quota=1000
  if [[ -e $cpu_cgroup/cpu.cfs_quota_us ]]; then
    make_cgroup "$cpu_cgroup" - && write_limit "$cgroup/cpu.cfs_quota_us" "$quota"
  else
    write_limit "$cpu_cgroup/cgroup.subtree_control" '+cpu'
    [[ -n $cgroup ]] || make_cgroup "$cpu_cgroup" -
    write_limit "$cgroup/cpu.max" "$quota 100000"
  fi && write_limit "$cgroup/cgroup.procs" "$BASHPID"
}

limit_container() {
  local cgroup='' memory_cgroup cpu_cgroup kib=${memory_limits[container]}
  find_cgroups
  ((kib == 0)) || limit_memory $((kib * 1024)) || ulimit -d "$kib"
  ((cpu_limits[container] == 0)) || limit_cpu "${cpu_limits[container]}"
}

# Leaves in `kills` how often the kernel killed there.
read_kills() {
  local key value
  while read -r key value; do
    [[ $key != oom_kill ]] || kills=$((kills + value))
  done <"$1"
} 2>/dev/null

# After the end of container i: what its cgroups tell, and their removal. What is left in one (a
# process that left the container's session) is killed.
settle_cgroups() {
  local i=$1 how folder pid kills=0 folders=()
  while read -r how folder; do
    case $how in
      killed) kills=1 ;;
      events | oom_control) read_kills "$folder/memory.$how" ;;
    esac
    [[ $folder == /* ]] || continue
    while read -r pid; do kill -KILL "$pid"; done 2>/dev/null <"$folder/cgroup.procs"
    folders+=("$folder")
  done <"run/${names[i]}.cgroup"
  ((${#folders[@]} == 0)) || rmdir -- "${folders[@]}" 2>/dev/null || old_cgroups+=("${folders[@]}")
  : >"run/${names[i]}.cgroup"
  ((kills == 0 || code[i] == 0 || killed[i])) || reason[i]=OOMKilled
}

# For the end of the script, or its guard: whatever is still there.
remove_cgroups() {
  local file folder folders=("${old_cgroups[@]}")
  for file in run/*.cgroup; do
    [[ ! -e $file ]] || while read -r _ folder; do
      [[ $folder != /* ]] || folders+=("$folder")
    done <"$file"
  done
  ((${#folders[@]} == 0)) || rmdir -- "${folders[@]}" 2>/dev/null
}
