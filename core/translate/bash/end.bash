main
# Always: data may follow. (For shellcheck, all functions of a script with no reachable end are dead.)
[[ $$ != 0 ]] && exit "$final_code"
