#!/bin/sh
# The C program that README.md shows is examples/swing.c, to the letter.
#
#   readme.sh SOURCE
set -eu
shown=$(awk '/^```c$/ {on = 1; next} /^```$/ {on = 0} on' "$1/README.md")
[ -n "$shown" ] || { echo "README.md shows no C program" >&2; exit 1; }
printf '%s\n' "$shown" | diff -u "$1/examples/swing.c" - || { echo "README.md and examples/swing.c differ" >&2; exit 1; }
