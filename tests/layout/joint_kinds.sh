#!/bin/sh
# A joint kind is one file and one row: each row of PK_JOINT_KINDS has its file in src/model/joints, and the library
# names a kind nowhere else, but where it describes a joint of that kind, as a user of the builder would.
#
#   joint_kinds.sh SOURCE
set -eu
cd "$1"
rows=$(sed -n 's/.*ROW(\(PK_JOINT_[A-Z]*\), \([a-z_]*\)).*/\1 \2/p' include/pronk/builder.h)
[ "$(echo "$rows" | wc -l)" -ge 7 ] || { echo "found no rows of PK_JOINT_KINDS in include/pronk/builder.h" >&2; exit 1; }

# The default description of a joint; a copy of a robot's first bodies; the joints of MJCF, which has kinds of its own.
describing='src/model/builder.c src/study/symbolic/symbolic_part.c src/model/mjcf/mjcf_emit.c'

echo "$rows" | while read -r value name; do
  file="src/model/joints/$name.c"
  [ -f "$file" ] || { echo "$value has no file $file" >&2; exit 1; }
  for found in $(grep -rlE "\<($value|pki_joint_$name)\>" src include); do
    case " $file include/pronk/builder.h $describing " in
    *" $found "*) ;;
    *) echo "$found names $value: let it follow from the row of the kind (src/model/joint_type.h)" >&2; exit 1 ;;
    esac
  done
done

# and no file stands for a kind without a row
for file in src/model/joints/*.c; do
  name=$(basename "$file" .c)
  echo "$rows" | grep -q " $name\$" || { echo "$file has no row in include/pronk/builder.h" >&2; exit 1; }
done
