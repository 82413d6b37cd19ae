// Lists the places where the toolkit's libraries may be on this machine, and opens one from there.
#include "runtime/cuda/places.h"

#include "models/base/environment.h"
#include "models/base/fork_mutex.h"
#include "models/base/lasting.h"
#include "runtime/cuda/own_folder.h"
#include "runtime/cuda/python_places.h"
#include "runtime/cuda/toolkit_version.h"
#include "runtime/store/absolute.h"
#include "runtime/store/directory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <iterator>
#include <mutex>
#include <utility>

namespace specmv {

using FileNames = llvm::ArrayRef<const char *>;

// NVIDIA's installers put a toolkit here; installers that are not packages do not add it to the
// loader's path. It is a path of the machine that runs, which only its administrator can write to.
// Paths of the build machine are in no binary, since another user may own them here.
constexpr const char *kSystemToolkit = "/usr/local/cuda";

// CMake links the build's toolkit under this name into the build folder. It is not installed.
constexpr const char *kLinkInBuildFolder = "/specmv-toolkit";

namespace {
struct PassedOver {
  ForkMutex mutex; // guards the rest
  std::vector<std::string> warnings;
};
} // namespace

static PassedOver &passedOver() {
  static Lasting<PassedOver> it;
  return *it;
}

// Adds the folders of a toolkit that have libraries. CUPTI may have its own, which comes last.
static void addHome(const std::string &home, FileNames files, std::vector<std::string> &paths) {
  for (const char *file : files)
    for (const char *folder : {"/lib64/", "/lib/", "/extras/CUPTI/lib64/"})
      paths.push_back(home + folder + file);
}

// Adds files in specmv's own folder and, for a tool in bin/, in lib64/ and lib/ beside it. Only
// existing files are added, so that an error about a missing library does not list folders that the
// user did not mention.
static void addOwnFolder(FileNames files, std::vector<std::string> &paths) {
  const std::string own = ownFolder();
  if (own.empty())
    return;
  for (const char *file : files)
    for (const char *folder : {"/", "/../lib64/", "/../lib/"})
      if (const std::string path = own + folder + file; llvm::sys::fs::exists(path))
        paths.push_back(path);
  if (const std::string built = own + kLinkInBuildFolder; llvm::sys::fs::is_directory(built))
    addHome(built, files, paths);
  addPackagesBeside(files, own, paths);
}

static std::vector<std::string> chosenByUser(FileNames files) {
  std::vector<std::string> paths;
  if (const std::string home = environmentPath(environment("SPECMV_CUDA_HOME")); !home.empty())
    addHome(home, files, paths);
  return paths;
}

static std::vector<std::string> foundByUs(FileNames files) {
  std::vector<std::string> paths;
  addOwnFolder(files, paths);
  addPythonPlaces(files, paths);
  paths.insert(paths.end(), files.begin(), files.end());
  addHome(kSystemToolkit, files, paths);
  return paths;
}

std::vector<std::string> toolkitCandidates(FileNames files) {
  std::vector<std::string> paths = chosenByUser(files);
  llvm::append_range(paths, foundByUs(files));
  return paths;
}

static llvm::Error absentFromToolkit(const ToolkitLibrary &library) {
  return absent(llvm::formatv(
      "no {0}: {1} was not found in SPECMV_CUDA_HOME, beside specmv, in a Python environment, on "
      "the loader's path, or in {2}; install NVIDIA's package {3}, or run 'pip install {4}', or "
      "set SPECMV_CUDA_HOME to the folder of a CUDA toolkit",
      library.name, library.files.front(), kSystemToolkit, library.aptPackage, library.pipPackage));
}

static void notePassedOver(llvm::Error error, const ToolkitLibrary &library,
                           const std::string &used) {
  const bool isBroken = !error.isA<AbsentError>();
  const std::string why = describe(std::move(error)).second;
  if (!isBroken)
    return;
  warnOfToolkit(llvm::formatv(
      "SPECMV_CUDA_HOME: {0}; using {1} as {2} instead; repair that file, or name another toolkit",
      why, used, library.name));
}

static std::vector<std::string> foundByUs(const ToolkitLibrary &library) {
  std::vector<std::string> paths = foundByUs(library.files);
  if (library.newestUpTo > 0)
    sortByVersion(paths, library.beside, library.newestUpTo);
  return paths;
}

llvm::Expected<DynamicLibrary> openFromToolkit(const ToolkitLibrary &library) {
  auto chosen = DynamicLibrary::open(chosenByUser(library.files), library.beside);
  if (chosen)
    return chosen;
  llvm::Error why = chosen.takeError();
  auto found = DynamicLibrary::open(foundByUs(library), library.beside);
  if (found) {
    notePassedOver(std::move(why), library, found->path());
    return found;
  }
  why = moreInformative(std::move(why), found.takeError());
  if (!why.isA<AbsentError>())
    return prefixed((std::string("no ") + library.name + ": ").c_str(), std::move(why));
  llvm::consumeError(std::move(why));
  return absentFromToolkit(library);
}

void warnOfToolkit(std::string sentence) {
  const std::lock_guard lock(passedOver().mutex);
  passedOver().warnings.push_back(std::move(sentence));
}

std::vector<std::string> takeToolkitWarnings() {
  const std::lock_guard lock(passedOver().mutex);
  return std::exchange(passedOver().warnings, {});
}

std::string whyNotCudaHome() {
  const std::string home = environmentPath(environment("SPECMV_CUDA_HOME"));
  const std::string why = home.empty() ? "" : whyNotReadable(home);
  return why.empty() ? ""
                     : "SPECMV_CUDA_HOME: " + why + "; searching the other places for a toolkit";
}

} // namespace specmv
