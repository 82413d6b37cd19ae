// Lists the places of libraries of the CUDA toolkit and of this library, and reads the version of a
// file.
#pragma once

#include "runtime/cuda/toolkit.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace specmv {

// --- Own folder ----------------------------------------------------------------------------------

// Asks the loader about specmv's own library: its folder, and how long it stays loaded.

// Returns the folder of the file that this code was loaded from: libspecmv.so, or the program that
// it is linked into. Empty if the loader does not report it.
std::string ownFolder();

// Keeps the library loaded while the result is held, even if it is closed; null for a program.
std::shared_ptr<void> keepLoaded();

// Returns true if the library was linked to or into the program, so that it is never unloaded.
bool isThereFromStart();

// --- Python places -------------------------------------------------------------------------------

// Finds NVIDIA's libraries in a Python environment, where `pip install nvidia-cuda-nvrtc` puts
// them.

// Adds those of the files that are in NVIDIA's packages beside specmv's own, where a wheel of
// specmv is installed: in site-packages/nvidia/*/lib if specmv's folder is site-packages/specmv.
void addPackagesBeside(llvm::ArrayRef<const char *> files, const std::string &ownFolder,
                       std::vector<std::string> &paths);

// Adds those of the files that are in the NVIDIA packages of the environments $VIRTUAL_ENV and
// $CONDA_PREFIX, and of the first Python on $PATH, in this order: in
// .../site-packages/nvidia/*/lib, and in conda's own lib. No program is run to find them.
void addPythonPlaces(llvm::ArrayRef<const char *> files, std::vector<std::string> &paths);

// --- Toolkit version -----------------------------------------------------------------------------

// Finds out the version of a toolkit's library without opening it, and orders libraries by it.

struct ToolkitVersion {
  int major = -1, minor = -1; // -1: not known
  bool operator==(const ToolkitVersion &) const = default;
  bool operator<(const ToolkitVersion &other) const {
    return std::pair(major, minor) < std::pair(other.major, other.minor);
  }
};

// Returns the version of the file, whose path or plain name may be a link. The name tells it
// (libnvrtc.so.12.8.93), or that of a file beside it that starts with `beside` and has the same
// major version (libnvrtc-builtins.so.12.8). A plain name is that of the file which the loader
// finds.
ToolkitVersion versionOf(const std::string &file, const char *beside);

// Sorts the files so that the newest comes first, and keeps the order of those of equal versions.
// Files whose major version exceeds `mostMajor` come after the others, the oldest first. Files that
// do not exist come last.
void sortByVersion(std::vector<std::string> &files, const char *beside, int mostMajor);

// --- Whole library -------------------------------------------------------------------------------

// Detects a truncated shared library before the loader maps it.

// Returns a reason not to give the file `path` to the loader. It is no regular file, so opening it
// might block. Or it is shorter than its ELF headers say, so using it would end the process
// (SIGBUS). "" if nothing is wrong, or if the loader itself reports the problem (no file, no ELF
// file).
std::string whyNotWhole(const std::string &path);

// --- Places --------------------------------------------------------------------------------------

// Lists the places where libraries of the CUDA toolkit are searched for, in order.

// A library of the toolkit, and the package to install if it is missing.
struct ToolkitLibrary {
  const char *name;                // "NVRTC"
  std::vector<const char *> files; // the preferred name first
  const char *aptPackage;          // in NVIDIA's repository for Debian and Ubuntu
  const char *pipPackage;
  const char *beside = nullptr; // as in DynamicLibrary::open
  // If it is not 0, the newest library goes first instead of the order of places, except that a
  // major version above this goes last. SPECMV_CUDA_HOME still decides.
  int newestUpTo = 0;
};

// Returns the paths to try for these files, from these places in this order:
//   SPECMV_CUDA_HOME;
//   the folder of libspecmv.so or of the program that this is linked into, and lib64/ and lib/
//     beside that folder;
//   the toolkit of the build, where the library lies in the folder that it was built in;
//   NVIDIA's packages beside specmv's own and in a Python environment;
//   the path of the system's loader;
//   /usr/local/cuda.
// The order of places decides before the order of names: a library in SPECMV_CUDA_HOME is preferred
// even if it is older than one in a later place.
std::vector<std::string> toolkitCandidates(llvm::ArrayRef<const char *> files);

// Opens the first candidate that can be opened. If one in SPECMV_CUDA_HOME exists but cannot be
// opened while a later one can, takeToolkitWarnings() says so. AbsentError says what to install.
llvm::Expected<DynamicLibrary> openFromToolkit(const ToolkitLibrary &library);

// Adds a warning about a library that was found.
void warnOfToolkit(std::string sentence);
// Returns warnings about libraries that were skipped or are too old; each is returned once.
std::vector<std::string> takeToolkitWarnings();

// Returns a warning if SPECMV_CUDA_HOME is set but is not a readable directory; otherwise "".
std::string whyNotCudaHome();

} // namespace specmv
