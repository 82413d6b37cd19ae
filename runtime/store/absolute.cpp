// Expands paths, and remembers those of the environment.
#include "runtime/store/absolute.h"

#include "models/base/fork_mutex.h"
#include "models/base/lasting.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <map>
#include <mutex>

namespace specmv {

std::string absolutePath(llvm::StringRef path) {
  llvm::SmallString<256> out(path);
  return llvm::sys::fs::make_absolute(out) ? path.str() : out.str().str();
}

namespace {
struct Relative {
  ForkMutex mutex; // guards the rest
  std::map<std::string, std::string> absolute;
};
} // namespace

std::string environmentPath(const std::string &path) {
  llvm::SmallString<256> expanded;
  llvm::sys::fs::expand_tilde(path, expanded);
  if (path.empty() || llvm::sys::path::is_absolute(expanded))
    return expanded.str().str();
  static Lasting<Relative> known;
  const std::lock_guard lock(known->mutex);
  std::string &out = known->absolute[path];
  if (out.empty())
    out = absolutePath(path);
  return out;
}

std::vector<std::string> listedPaths(llvm::StringRef list, bool isOfEnvironment) {
  std::vector<std::string> paths;
  for (llvm::StringRef rest = list; !rest.empty();) {
    auto [path, tail] = rest.split(':');
    if (!path.empty())
      paths.push_back(isOfEnvironment ? environmentPath(path.str()) : absolutePath(path));
    rest = tail;
  }
  return paths;
}

} // namespace specmv
