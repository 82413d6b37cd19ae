// Asks the loader which file this code was loaded from.
#include "runtime/cuda/own_folder.h"

#include "models/base/lasting.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>
#include <link.h>

namespace specmv {

static constexpr char kHere = 0; // an address within this library or program

static const link_map *ownMap() {
  Dl_info info = {};
  link_map *map = nullptr;
  const bool isKnown =
      dladdr1(&kHere, &info, reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP) != 0;
  return isKnown ? map : nullptr;
}

static std::string findOwnFolder() {
  const link_map *map = ownMap();
  if (!map)
    return "";
  // For the program itself the loader has no name, and argv[0] can be anything.
  llvm::SmallString<256> path(*map->l_name ? map->l_name : "/proc/self/exe");
  const std::error_code error = *map->l_name ? llvm::sys::fs::make_absolute(path)
                                             : llvm::sys::fs::real_path(path.str(), path);
  return error ? "" : llvm::sys::path::parent_path(path).str();
}

// The loader is asked once: it answers only when no other thread opens a library, and NVRTC takes 5
// to 170 ms to open.
std::string ownFolder() {
  static const Lasting<std::string> folder(findOwnFolder);
  return *folder;
}

std::shared_ptr<void> keepLoaded() {
  const link_map *map = ownMap();
  void *handle = map && *map->l_name ? dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  return {handle, [](void *opened) {
            if (opened)
              dlclose(opened);
          }};
}

} // namespace specmv
