#!/bin/sh
# The C code that README.md shows stands in examples/trot.c, line for line, and README.md fits a screen and a half.
#
#   readme.sh SOURCE
set -eu
awk '
  FNR == NR { example[++lines] = $0; next }
  /^```c$/ { on = 1; next }
  /^```$/ { on = 0 }
  on { shown[++count] = $0 }
  END {
    if (count == 0) { print "README.md shows no C code"; exit 1 }
    for (start = 0; start + count <= lines; start++) {
      same = 1
      for (i = 1; i <= count && same; i++) same = example[start + i] == shown[i]
      if (same) exit 0
    }
    print "the C code in README.md is not in examples/trot.c, line for line"
    exit 1
  }' "$1/examples/trot.c" "$1/README.md" >&2
lines=$(wc -l <"$1/README.md")
[ "$lines" -le 100 ] || { echo "README.md has $lines lines, expected 100 at most" >&2; exit 1; }
