#!/usr/bin/env bash
# Carries compiled kernels to a machine without NVRTC. On this machine the tool packs the kernels for a
# matrix, which needs NVRTC and no GPU; there, the program, libspecmv.so and the pack are all it takes.
#   samples/pack_elsewhere.sh FOLDER [ARCH,...]        (default sm_80,sm_90)
# FOLDER is the build folder of a clone, or the prefix under which specmv is installed.
set -euo pipefail

samples=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
readonly samples folder=${1:?the build folder or the prefix is missing} architectures=${2:-sm_80,sm_90}
there=$(mktemp -d)
trap 'rm -rf -- "$there"' EXIT

lacks() {
  printf 'error: %s\n' "$1" >&2
  exit 3
}

if [[ -x $folder/bin/specmv ]]; then
  tool=$folder/bin/specmv
  library=$(find "$folder"/lib* -name 'libspecmv.so.?' | sed -n 1p)
  [[ -n $library ]] || lacks "no libspecmv.so is below $folder"
  "${CC:-cc}" "$samples/pack_elsewhere.c" -o "$there/pack_elsewhere" -I "$folder/include" \
    "$library" -lm -ldl
else
  tool=$folder/specmv
  library=$(compgen -G "$folder/libspecmv.so.?") ||
    lacks "$folder is neither a build folder of specmv nor a prefix with bin/specmv"
  [[ -x $folder/samples/pack_elsewhere ]] ||
    lacks "$folder/samples/pack_elsewhere is not built: cmake --build '$folder' --target samples"
  cp -- "$folder/samples/pack_elsewhere" "$there"
fi

# Here. A file of your own, A.mtx, is named in place of the generated matrix.
"$tool" pregen stencil5:n=200 --type f64 --arch "$architectures" -o "$there/solver.pack"
cp -- "$library" "$there"

# There: another folder stands for the machine, with no cache and no toolkit. Packs are machine code,
# so one is read only if it is yours or root's and nobody else may write to it.
cd -- "$there"
chmod go-w solver.pack
env -u SPECMV_CACHE_PATH SPECMV_CACHE_DIR="$there/cache" SPECMV_STANDARD_PACK='' \
  SPECMV_CUDA_HOME=/nowhere LD_LIBRARY_PATH="$there${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
  ./pack_elsewhere solver.pack 200
