# The mounts of a container, as it lists them: mount_at <path> <volume's folder> <sub path> <ro or rw>.
mount_at() {
  mount_paths+=("$1") mount_roots+=("$2") mount_subs+=("$3") mount_modes+=("$4")
}

# Leaves in `source` what a mount shows: a volume, or what lies below it at a sub path, which is
# made when missing. A link that a container left there cannot lead out of the volume.
find_source() {
  local sub=$2 part mask=0
  source=$1
  [[ $1 == /* ]] || source=$sandbox/$1
  [[ -n $sub ]] || return 0
  cd -P -- "$source" || cannot_create "cannot enter volume $1"
  [[ $source == "$sandbox"/* || $source == "${memory_root:-none}"/* ]] || mask=022 # The pool's.
  source=$PWD
  while [[ -n $sub ]]; do
    part=${sub%%/*} sub=${sub#"${sub%%/*}"}
    sub=${sub#/}
    if [[ -z $sub && ! -L ./$part && -e ./$part && ! -d ./$part ]]; then
      source=$PWD/$part
      return
    fi
    if [[ ! -e ./$part && ! -L ./$part ]]; then
      (umask "$mask" && mkdir -- "./$part") || cannot_create "sub path $2 of $1: cannot make $part"
    fi
    cd -P -- "./$part" 2>/dev/null || cannot_create "sub path $2 of $1: $part is not a folder"
    [[ $PWD/ == "$source"/* ]] || cannot_create "sub path $2 leads out of volume $1"
  done
  source=$PWD
}
