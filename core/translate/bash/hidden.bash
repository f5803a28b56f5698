# What of the pool's is the submitter's own, in `hidden`: see sandbox.h.
hidden=()
read_hidden() {
  local lines=${PODFERRY_HIDE-} path
  while [[ -n $lines ]]; do
    path=${lines%%$'\n'*}
    lines=${lines#"$path"}
    lines=${lines#$'\n'} path=${path//%0A/$'\n'}
    hidden+=("${path//%25/%}")
  done
}
read_hidden
