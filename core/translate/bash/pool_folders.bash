# Volumes that are folders or files of the pool: found before the first container starts, in
# `pool_folders` by the number of the volume. What is wrong with one is left in `problem`.
pool_folders=()

# use_folder <number> <volume> <base> <rest> <type> <links>: the base is the operator's, the rest
# of the path the pod's; the type is that of a hostPath volume, or Make.
use_folder() {
  local type=$5 links=$6 found='' words=''
  [[ -z $problem ]] || return
  if find_base "$3" && descend "$4" && check_type && check_hidden "$4"; then
    pool_folders[$1]=$found
  else
    problem="volume $2: $words"
  fi
  cd -P -- "$sandbox" || problem="cannot enter $sandbox"
}

# make_mount_points <number> <type> <path below it>...
make_mount_points() {
  local volume=${pool_folders[$1]-} type=$2 links=0 found='' words='' path
  shift 2
  for path in "$@"; do
    [[ -z $problem ]] || return
    find_base "$volume" && descend "$path" || problem="no mount point can be made: $words"
  done
  cd -P -- "$sandbox" || problem="cannot enter $sandbox"
}

find_base() {
  if [[ ! -e $1 ]]; then
    case $type in
      Make) (umask 077 && mkdir -p -- "$1") 2>/dev/null ;;
      DirectoryOrCreate) (umask 022 && mkdir -p -- "$1") 2>/dev/null ;;
    esac
  fi
  found=$1
  if [[ -d $1 ]]; then
    cd -P -- "$1" 2>/dev/null && found=$PWD && return
    words="the folder $1 of this pool is closed to its jobs"
  elif [[ -e $1 ]]; then
    return 0
  else
    words="there is no $1 at this pool"
  fi
  return 1
}

# Follows a path below the current folder, which no link may leave, and leaves in `found` where it
# leads.
descend() {
  local rest=$1 part root=${PWD%/}
  [[ -n $rest ]] || return 0
  [[ -d $found ]] || { words="$found is not a folder" && return 1; }
  while [[ -n $rest ]]; do
    part=${rest%%/*}
    rest=${rest#"$part"}
    rest=${rest#/} found=${PWD%/}/$part
    if [[ -L ./$part ]] && ((!links)); then
      words="$found is a link, and none is followed here"
      return 1
    fi
    [[ -e ./$part || -L ./$part ]] || make_part "$part" "$rest" || return
    if [[ -d ./$part ]]; then
      cd -P -- "./$part" 2>/dev/null || { words="$found is closed to this pool's jobs" && return 1; }
      [[ $PWD/ == "$root"/* ]] || { words="the link $found leads out of $root" && return 1; }
      found=$PWD
    elif [[ -n $rest || -L ./$part ]]; then
      words="$found is not a folder"
      return 1
    fi
  done
}

make_part() {
  case $type:$2 in
    DirectoryOrCreate:*) (umask 022 && mkdir -- "./$1") 2>/dev/null && return ;;
    Make:*) (umask 077 && mkdir -- "./$1") 2>/dev/null && return ;;
    FileOrCreate:) (umask 022 && set -C && : >"./$1") 2>/dev/null && return ;;
    *)
      words="there is no $found at this pool"
      return 1
      ;;
  esac
  words="cannot make $found"
  return 1
}

# The words are the kubelet's.
check_type() {
  case $type in
    Directory | DirectoryOrCreate | Make) [[ -d $found ]] || words='a directory' ;;
    File | FileOrCreate) [[ -f $found ]] || words='a file' ;;
    Socket) [[ -S $found ]] || words='a socket file' ;;
    CharDevice) [[ -c $found ]] || words='a character device' ;;
    BlockDevice) [[ -b $found ]] || words='a block device' ;;
  esac
  [[ -n $words ]] || return 0
  words="hostPath type check failed: $found is not $words"
  return 1
}

# A folder that the operator named may lie below what is hidden, one that the pod chose may not, and
# neither may show any of it.
check_hidden() {
  local path
  for path in "${hidden[@]}"; do
    [[ $path/ == "${found%/}"/* || (-n $1 && $found/ == "$path"/*) ]] || continue
    words="$found is not for pods: the submitter keeps what is its own in $path"
    return 1
  done
}
