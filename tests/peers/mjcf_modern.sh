#!/bin/sh
# Write MJCF files with what Pronk computes for them, and let MuJoCo for JavaScript judge.
#
#   mjcf_modern.sh TEST_PEERS_MJCF SOURCE
set -eu
writer=$1 source=$2
library=$source/tests/peers/node_modules/@mujoco/mujoco/mujoco.js
if ! command -v node >/dev/null || [ ! -f "$library" ]; then
  echo "MuJoCo for JavaScript is not there: make test-peers fetches it"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$writer" --write "$work"
node "$source/tests/peers/mjcf_modern.mjs" "$library" "$work"
