#!/bin/sh
# Starts a program of the unpacked Debian root beside this file with that root's libraries.

# Newer Bazels add run paths into the runfiles of the program that is linked, where older ones name
# _solib alone. Without them every Bazel links the same bytes, and _solib serves all.
for argument; do
  shift
  case $argument in
  -Wl,-rpath,*.runfiles/*) ;;
  *) set -- "$@" "$argument" ;;
  esac
done

here="${0%/*}/.."
LD_LIBRARY_PATH="$here/tool_libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" exec "$here/root/%{program}" "$@"
