# FUSE file systems that Apptainer has a script of the pod's mount in each container:
# fuse_at <path> <script> <sub path>. The program must take an open /dev/fuse for its mount point
# (libfuse 3 does).
fuse_count=0
fuse_at() {
  local name=podferry-fuse-$fuse_count
  local file=$sandbox/run/${names[container]}.$name inside=/.singularity.d/$name quote="'\"'\"'"
  ((fuse_count += 1))
  # Apptainer splits its words at blanks, and adds some of its own at the end.
  {
    printf "#!/bin/sh\nexport SUB_PATH='%s' MOUNT_POINT=\"\$1\" CACHEDIR=/cache\n" "${3//"'"/$quote}"
    printf "exec %s.script \"\$SUB_PATH\" \"\$MOUNT_POINT\"\n" "$inside"
  } >"$file" || cannot_create "cannot write $file"
  chmod 755 -- "$file"
  show_file "$file" "$inside"
  show_file "$sandbox/$2" "$inside.script"
  apptainer_options+=(--fusemount "container:$inside $1")
}

show_file() {
  apptainer_options+=(--mount "type=bind,\"source=${1//'"'/'""'}\",destination=$2,ro")
}
