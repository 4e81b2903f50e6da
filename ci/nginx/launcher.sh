#!/bin/sh
# Starts the unpacked nginx with its own libraries.
here="${0%/*}"
LD_LIBRARY_PATH="$here/../tool_libraries" exec "$here/../root/%{program}" "$@"
