# The mounts of a container, as it lists them: mount_at <path> <volume's folder> <sub path> <ro or rw>.
mount_at() {
  mount_paths+=("$1") mount_roots+=("$2") mount_subs+=("$3") mount_modes+=("$4")
}

# Leaves in `source` what a mount shows: a volume, or what lies below it at a sub path, which is
# made when missing. A link that a container left there cannot lead out of the volume.
find_source() {
  local sub=$2 part
  source=$1
  [[ $1 == /* ]] || source=$sandbox/$1
  [[ -n $sub ]] || return 0
  cd -P -- "$source" || cannot_create "cannot enter volume $1"
  source=$PWD
  while [[ -n $sub ]]; do
    part=${sub%%/*} sub=${sub#"${sub%%/*}"}
    sub=${sub#/}
    if [[ -z $sub && ! -L ./$part && -e ./$part && ! -d ./$part ]]; then
      source=$PWD/$part
      return
    fi
    [[ -e ./$part || -L ./$part ]] || (umask 0 && mkdir -p -- "./$part")
    cd -P -- "./$part" 2>/dev/null || cannot_create "sub path $2 of $1: $part is not a folder"
    [[ $PWD/ == "$source"/* ]] || cannot_create "sub path $2 leads out of volume $1"
  done
  source=$PWD
}
