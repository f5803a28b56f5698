#!/bin/bash
# python_regex_differential_test.sh SCRIPT PROBE
set -euo pipefail
# Debian's own, whatever stands first in the PATH.
python=$(command -v /usr/bin/python3 || command -v python3)
exec "$python" "$1" "$2" 20000
