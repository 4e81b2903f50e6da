#!/bin/sh
# Starts a program of the unpacked Debian root beside this file with that root's libraries.
here="${0%/*}/.."
LD_LIBRARY_PATH="$here/tool_libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" exec "$here/root/%{program}" "$@"
