#!/bin/sh
# Gaits are for any quadruped: neither their code nor their header names a robot that models/ holds. A pendulum is no robot
# but a word of mechanics; the letter of a version counts for nothing ("walker_b" is "walker").
#
#   robots.sh SOURCE
set -eu
cd "$1"
named=$(for folder in models/*/; do
  name=$(basename "$folder")
  case $name in *pendulum) continue ;; esac
  grep -rni -e "${name%_?}" src/gait include/pronk/gait.h || true
done)
[ -z "$named" ] || { printf 'gaits that know a robot:\n%s\n' "$named" >&2; exit 1; }
