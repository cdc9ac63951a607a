SRC=${SRC:-/work/main}; B=${B:-/tmp/b-lead}
L="-lxml2 -lyaml -lqhull_r -lm -ldl -lpthread"
clang -O2 -I$SRC/include -I$SRC/src $1.c -o $1 $(find $B -name 'libpronk.a' | head -1) $(grep -o '^LINK_LIBRARIES.*' <(ninja -C $B -t commands pronk_cli 2>/dev/null) ; ninja -C $B -t commands pronk 2>/dev/null | tail -1 | grep -oE '(/usr/lib[^ ]*\.so|-l[a-z0-9_]+)' | sort -u | tr '\n' ' ') $L
