#!/bin/sh
# Install into a folder of the build tree, move it, and use it: by find_package, by pkg-config,
# shared and static, and by the installed command.
#
#   install.sh SOURCE BUILD CMAKE CC
set -eu
source=$1 build=$2 cmake=$3 cc=$4
work=$build/install_test
model=share/pronk/models/pendulum/pendulum.urdf

fail() {
  echo "install: $*" >&2
  exit 1
}

rm -rf "$work"
mkdir -p "$work"
# A prefix of its own, then a move: nothing may remember where it was.
DESTDIR='' "$cmake" --install "$build" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/prefix"
prefix=$work/prefix
for file in include/pronk/pronk.h "$model" share/pronk/motors/maxon-re40.yaml; do
  [ -f "$prefix/$file" ] || fail "$file is missing"
done
if grep -rlF -e "$source/include" -e "$source/src" -e "$build" "$prefix/lib"* --include='*.cmake' --include='*.pc'; then
  fail "the files above name the tree that they were built from"
fi

echo "-- find_package"
"$cmake" -S "$source/examples" -B "$work/cmake" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_BUILD_TYPE=Release >"$work/configure.log" || { cat "$work/configure.log"; fail "find_package"; }
"$cmake" --build "$work/cmake" >"$work/build.log" 2>&1 || { cat "$work/build.log"; fail "build"; }
"$work/cmake/swing" "$prefix/$model"
"$work/cmake/wind" "$prefix/$model"
"$work/cmake/stand" "$(dirname "$prefix/$model")/../starleth/starleth.urdf"
"$work/cmake/trot" "$(dirname "$prefix/$model")/../starleth/starleth.urdf"
"$work/cmake/batch" "$(dirname "$prefix/$model")/../starleth/starleth.urdf"
"$work/cmake/stance" "$(dirname "$prefix/$model")/../starleth/starleth.urdf"
for query in closest scan overlap; do
  "$work/cmake/$query" "$(dirname "$prefix/$model")/../starleth/starleth.urdf" >"$work/$query.txt" || fail "$query"
  [ -s "$work/$query.txt" ] || fail "$query printed nothing"
done
"$work/cmake/touch" || fail "touch"
[ -x "$work/cmake/swing_static" ] || fail "pronk::pronk_static was not found"
"$work/cmake/swing_static" "$prefix/$model"
"$work/cmake/batch_static" "$(dirname "$prefix/$model")/../starleth/starleth.urdf"

echo "-- pkg-config"
pc=$(dirname "$(find "$prefix" -name pronk.pc)")
libdir=$(dirname "$pc")
export PKG_CONFIG_PATH="$pc${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
# shellcheck disable=SC2046
"$cc" -std=c17 "$source/examples/swing.c" $(pkg-config --cflags --libs pronk) -o "$work/swing_pc"
LD_LIBRARY_PATH="$libdir" "$work/swing_pc" "$(pkg-config --variable=modelsdir pronk)/pendulum/pendulum.urdf"
# As README.md tells it.
# shellcheck disable=SC2046
"$cc" -std=c17 "$source/examples/trot.c" $(pkg-config --cflags --libs pronk) -lm -o "$work/trot_pc"
LD_LIBRARY_PATH="$libdir" "$work/trot_pc" "$(pkg-config --variable=modelsdir pronk)/starleth/starleth.urdf"
# --static names all that libxml2 could need; where its own parts are not installed, nobody can link so.
echo 'int main(void) { return 0; }' >"$work/empty.c"
# shellcheck disable=SC2046
if "$cc" "$work/empty.c" $(pkg-config --libs --static libxml-2.0) -o "$work/empty" 2>/dev/null; then
  "$cc" -std=c17 $(pkg-config --cflags pronk) "$source/examples/swing.c" "$libdir/libpronk.a" \
    $(pkg-config --libs --static pronk | sed 's/-lpronk//') -o "$work/swing_pc_static"
  "$work/swing_pc_static" "$prefix/$model"
fi

if [ -x "$prefix/bin/pronk" ]; then
  echo "-- command"
  "$prefix/bin/pronk" info "$prefix/share/pronk/models/pendulum" >"$work/info.log"
  [ -s "$work/info.log" ] || fail "pronk info printed nothing"
  for file in share/man/man1/pronk.1 share/bash-completion/completions/pronk share/zsh/site-functions/_pronk \
    share/fish/vendor_completions.d/pronk.fish share/pronk/scenario.schema.json; do
    [ -s "$prefix/$file" ] || fail "$file is missing or empty"
  done
fi
