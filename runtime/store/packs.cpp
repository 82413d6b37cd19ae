// Keeps the open packs of the process, and finds the standard pack.
#include "runtime/store/packs.h"

#include "models/base/environment.h"
#include "models/base/fork_mutex.h"
#include "models/base/lasting.h"
#include "runtime/cuda/own_folder.h"
#include "runtime/store/absolute.h"
#include "runtime/store/trust.h"
#include "llvm/Support/FileSystem.h"

#include <map>
#include <mutex>

namespace specmv {

namespace {
struct Kept {
  ForkMutex mutex; // guards the rest
  std::map<std::string, std::shared_ptr<const PackFile>> byPath;
  Packs added;
};
} // namespace

// Made at first use, since a library must not run code when it is loaded.
static Kept &kept() {
  static Lasting<Kept> it;
  return *it;
}

llvm::Expected<std::shared_ptr<const PackFile>> packAt(const std::string &path) {
  const std::lock_guard lock(kept().mutex);
  std::shared_ptr<const PackFile> &known = kept().byPath[path];
  if (known)
    if (const auto now = ReadFile::open(path); now && now->identity() == known->identity() &&
                                               whyNotTrusted(now->access(), path, path).empty())
      return known;
  auto opened = PackFile::open(path);
  if (opened)
    known = *opened;
  return opened;
}

llvm::Error addPack(const std::string &path) {
  auto pack = packAt(absolutePath(path));
  if (!pack)
    return pack.takeError();
  const std::lock_guard lock(kept().mutex);
  Packs &added = kept().added;
  if (std::find(added.begin(), added.end(), *pack) == added.end())
    added.push_back(std::move(*pack));
  return llvm::Error::success();
}

Packs addedPacks() {
  const std::lock_guard lock(kept().mutex);
  return kept().added;
}

std::string standardPackPath() {
  if (const auto set = environmentIfSet("SPECMV_STANDARD_PACK"))
    return environmentPath(*set);
  const std::string own = ownFolder();
  // The library may be in lib/ or, as in Debian, one folder deeper; the tool is in bin/.
  for (const char *place : {"/", "/../share/specmv/", "/../../share/specmv/"})
    if (std::string path = own + place + "standard.pack";
        !own.empty() && llvm::sys::fs::is_regular_file(path))
      return path;
  return "";
}

} // namespace specmv
