#!/bin/sh
# Every link from one document of the tree to another leads to a file, and docs/index.md links every page of docs/.
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
unlinked=$(find docs -name '*.md' -not -path docs/index.md | sort | while read -r page; do
  grep -qF "](${page#docs/})" docs/index.md || echo "$page"
done)
[ -z "$unlinked" ] || { printf 'pages that docs/index.md does not link:\n%s\n' "$unlinked" >&2; exit 1; }
