#!/bin/sh
# Every link from one document of the tree to another leads to a file, docs/index.md links every page of docs/, and every test
# that a document names in backticks is there.
#
#   links.sh SOURCE
set -eu
cd "$1"
pages=$(find . -name '*.md' -not -path './build*' -not -path './out/*' -not -path '*/node_modules/*' | sort)
broken=$(echo "$pages" |
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

# `stage/name`, stage a folder of tests/, is a source file there, a name in its CMakeLists.txt, or a folder of src/;
# `tests/stage/name`, with an ending or a pattern or without, is there.
is_test() {
  for file in tests/$1 "tests/$1.c" "tests/$1.cpp" "tests/$1.mjs"; do
    [ ! -e "$file" ] || return 0
  done
  grep -qwF "$1" "tests/${1%%/*}/CMakeLists.txt" 2>/dev/null
}
stages=$(find tests -mindepth 1 -maxdepth 1 -type d | sed 's|^tests/||' | sort | paste -sd '|' -)
missing=$(echo "$pages" |
  while read -r page; do
    grep -onE "\`(tests/($stages)/[A-Za-z0-9_.*-]+|($stages)/[a-z][a-z0-9_]*)\`" "$page" | tr -d '`' | while IFS=: read -r line name; do
      case $name in
      viewer/dist | *NAME*) ;; # where the viewer is built; a name of your own
      tests/*) is_test "${name#tests/}" || echo "$page:$line: $name" ;;
      *) [ -d "src/$name" ] || is_test "$name" || echo "$page:$line: $name" ;;
      esac
    done || true
  done)
[ -z "$missing" ] || { printf 'tests that are not there:\n%s\n' "$missing" >&2; exit 1; }
