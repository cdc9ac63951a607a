#!/bin/sh
# Every link from one document of the tree to another leads to a file.
#
#   links.sh SOURCE
set -eu
cd "$1"
broken=$(find . -name '*.md' -not -path './build*' -not -path './out/*' -not -path '*/node_modules/*' | sort |
  while read -r page; do
    grep -o ']([^)#: ]*[)#]' "$page" | sed 's/^](//; s/[)#]$//' | while read -r target; do
      [ -z "$target" ] || [ -e "$(dirname "$page")/$target" ] || echo "$page: $target"
    done || true
  done)
[ -z "$broken" ] || { printf 'links that lead nowhere:\n%s\n' "$broken" >&2; exit 1; }
