// Opens CUDA libraries where the environment, the build or the system's loader has them.
#include "runtime/toolkit.h"

#include <cstdlib>
#include <dlfcn.h>

namespace specmv {

llvm::Expected<DynamicLibrary> DynamicLibrary::open(const std::vector<std::string> &paths) {
  std::string firstReason;
  for (const std::string &path : paths) {
    DynamicLibrary library;
    library.handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    library.path_ = path;
    if (library.handle_)
      return library;
    const char *reason = dlerror();
    if (firstReason.empty() && reason)
      firstReason = reason;
  }
  return fail(Status::missing, "cannot open {0}: {1}", paths.empty() ? "" : paths.back(),
              firstReason);
}

void *DynamicLibrary::find(const char *name) const { return dlsym(handle_, name); }

std::vector<std::string> toolkitCandidates(const std::string &file) {
  std::vector<std::string> homes;
  if (const char *home = std::getenv("SPECMV_CUDA_HOME"); home && *home)
    homes.emplace_back(home);
  homes.emplace_back(SPECMV_BUILT_CUDA_HOME);
  std::vector<std::string> paths;
  for (const std::string &home : homes)
    for (const char *folder : {"/lib64/", "/lib/"})
      paths.push_back(home + folder + file);
  paths.push_back(file);
  return paths;
}

} // namespace specmv
