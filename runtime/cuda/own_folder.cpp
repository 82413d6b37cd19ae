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

static const link_map *mapOf(const void *address) {
  Dl_info info = {};
  link_map *map = nullptr;
  const bool isKnown =
      dladdr1(address, &info, reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP) != 0;
  return isKnown ? map : nullptr;
}

static const link_map *ownMap() { return mapOf(&kHere); }

static std::string findOwnFolder() {
  const link_map *map = ownMap();
  if (!map)
    return "";
  // The loader has no name for the program itself, and argv[0] can be anything.
  llvm::SmallString<256> path(*map->l_name ? map->l_name : "/proc/self/exe");
  const std::error_code error = *map->l_name ? llvm::sys::fs::make_absolute(path)
                                             : llvm::sys::fs::real_path(path.str(), path);
  return error ? "" : llvm::sys::path::parent_path(path).str();
}

// Asks the loader only once: it answers only when no other thread opens a library, and NVRTC takes
// 5 to 170 ms to open.
std::string ownFolder() {
  static const Lasting<std::string> folder(findOwnFolder);
  return *folder;
}

static std::shared_ptr<void> closedLater(void *handle) {
  return {handle, [](void *opened) {
            if (opened)
              dlclose(opened);
          }};
}

// The program's symbols include those of libraries loaded with it, and of libraries opened with
// RTLD_GLOBAL, which stay loaded, too.
bool isThereFromStart() {
  const link_map *map = ownMap();
  if (!map || !*map->l_name)
    return map != nullptr;
  const std::shared_ptr<void> program = closedLater(dlopen(nullptr, RTLD_LAZY));
  const void *const found = program ? dlsym(program.get(), "specmvCreatePlan") : nullptr;
  return found && mapOf(found) == map;
}

std::shared_ptr<void> keepLoaded() {
  const link_map *map = ownMap();
  return closedLater(map && *map->l_name ? dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD) : nullptr);
}

} // namespace specmv
