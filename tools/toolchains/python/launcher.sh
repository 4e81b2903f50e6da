#!/bin/sh
# Starts the unpacked CPython with its own libraries and without the packages of the user's home.
# sitecustomize.py hands the caller's LD_LIBRARY_PATH back to what Python starts in turn.
here="${0%/*}"
export CPYTHON_LAUNCHER="$0" CPYTHON_CALLER_LIBRARY_PATH="${LD_LIBRARY_PATH-}" PYTHONNOUSERSITE=1

# A script in runfiles is a link into the workspace. The folder that it points to would come first on Python's
# path, and with it every module beside the script, whatever the target's deps say.
case "${1-}" in
*.runfiles/*) export PYTHONSAFEPATH=1 ;;
esac

LD_LIBRARY_PATH="$here/../tool_libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" exec "$here/../root/%{program}" "$@"
