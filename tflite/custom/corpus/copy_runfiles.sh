#!/usr/bin/env bash
# Copies files out of this program's runfiles: copy_runfiles.sh FROM TO [FROM TO]...
set -euo pipefail

while [ $# -ge 2 ]; do
  cp "$0.runfiles/$1" "$2"
  shift 2
done
