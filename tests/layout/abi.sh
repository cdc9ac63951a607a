#!/bin/sh
# The binary interface is the one that symbols.txt and structs.txt have: exported names, and sizes, fields and offsets of
# public structs (64-bit). Every public struct is in PK_STRUCT_LIST of pronk/layout.h.
#
#   abi.sh SOURCE LIBPRONK.SO CC [--update]
set -eu
source=$1 library=$2 cc=$3
here=$source/tests/layout
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nm -D --defined-only "$library" | awk '{ sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort > "$work/symbols.txt"
if grep -v '^pk_' "$work/symbols.txt"; then
  echo "these names are exported and do not begin with pk_: hide them" >&2
  exit 1
fi

# A program that prints the structs of the headers, in which each field has a line of its own.
awk '
  BEGIN { print "#include <stddef.h>\n#include <stdio.h>\n#include <pronk/pronk.h>\nint main(void)\n{" }
  /^(typedef )?struct pk_[a-z_]+ \{$/ {
    name = $1 == "typedef" ? $3 : $2
    printf "printf(\"%s %%zu\\n\", sizeof(%s));\n", name, name
    next
  }
  /^}/ { name = "" }
  name == "" || /^ *\/\*/ && !/\*\// { comment = name != ""; next }
  comment { comment = !/\*\//; next }
  /^ *\/\*.*\*\/$/ || /^ *$/ { next }
  {
    line = line $0
    if (line !~ /;$/) next
    field = line
    line = ""
    if (field ~ /\(\*/) { sub(/^[^(]*\(\*/, "", field); sub(/\).*/, "", field) }
    else { sub(/[[;].*/, "", field); sub(/.*[ *]/, "", field) }
    printf "printf(\"  %s %%zu\\n\", offsetof(%s, %s));\n", field, name, field
  }
  END { print "return sizeof(void *) == 8 ? 0 : 77;\n}" }' "$source"/include/pronk/*.h > "$work/structs.c"
"$cc" -std=c17 -I"$source/include" -o "$work/structs" "$work/structs.c"
"$work/structs" > "$work/structs.txt" || { echo "skipped: not a 64-bit machine"; exit 77; }

awk '/^pk_/ { print $1 }' "$work/structs.txt" | LC_ALL=C sort > "$work/have"
sed -n 's/^ *X(\(pk_[a-z_]*\)).*/\1/p' "$source/include/pronk/layout.h" | LC_ALL=C sort > "$work/listed"
diff "$work/have" "$work/listed" || { echo "PK_STRUCT_LIST of pronk/layout.h is not the list of public structs" >&2; exit 1; }

if [ "${4:-}" = --update ]; then
  cp "$work/symbols.txt" "$work/structs.txt" "$here"
  exit
fi
same=yes
for list in symbols structs; do
  diff -u "$here/$list.txt" "$work/$list.txt" || same=no
done
[ $same = yes ] && exit
cat >&2 <<END

The binary interface has changed. If that was not meant, take it back. If it was:
- after a release, raise the minor version (CMakeLists.txt, pronk/status.h), which is the version of the shared library;
- tell in CHANGELOG.md, section API, what changed and how to adapt;
- write the new lists: tests/layout/abi.sh . BUILD/src/libpronk.so CC --update
docs/api.md has the rules.
END
exit 1
