// Opens CUDA libraries where the environment, the build or the system's loader has them.
#include "runtime/cuda/toolkit.h"

#include "runtime/cuda/own_folder.h"
#include "runtime/store/directory.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <dlfcn.h>
#include <utility>

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

// Where a toolkit keeps its libraries: the last is CUPTI's own where that is apart.
static void addHome(const std::string &home, std::initializer_list<const char *> files,
                    std::vector<std::string> &paths) {
  for (const char *file : files)
    for (const char *folder : {"/lib64/", "/lib/", "/extras/CUPTI/lib64/"})
      paths.push_back(home + folder + file);
}

// What lies beside specmv: only files that are there, so that an error names a place that somebody
// chose. A tool in bin/ has its libraries in lib/.
static void addOwnFolder(std::initializer_list<const char *> files,
                         std::vector<std::string> &paths) {
  const std::string own = ownFolder();
  if (own.empty())
    return;
  for (const char *file : files)
    for (const char *folder : {"/", "/../lib64/", "/../lib/"})
      if (const std::string path = own + folder + file; llvm::sys::fs::exists(path))
        paths.push_back(path);
}

std::vector<std::string> toolkitCandidates(std::initializer_list<const char *> files) {
  std::vector<std::string> paths;
  if (const char *home = std::getenv("SPECMV_CUDA_HOME"); home && *home)
    addHome(home, files, paths);
  addOwnFolder(files, paths);
  addHome(SPECMV_BUILT_CUDA_HOME, files, paths);
  paths.insert(paths.end(), files.begin(), files.end());
  return paths;
}

std::string whyNotCudaHome() {
  const char *home = std::getenv("SPECMV_CUDA_HOME");
  const std::string why = home && *home ? whyNotReadable(home) : "";
  return why.empty() ? "" : "SPECMV_CUDA_HOME: " + why + "; other toolkits are looked for";
}

void openBeside(const std::string &library, const std::string &prefix) {
  const llvm::StringRef folder = llvm::sys::path::parent_path(library);
  if (folder.empty() || !llvm::sys::fs::exists(library))
    return;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error))
    if (llvm::sys::path::filename(it->path()).starts_with(prefix))
      llvm::consumeError(DynamicLibrary::open({it->path()}).takeError());
}

} // namespace specmv
