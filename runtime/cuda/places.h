// Lists the places where libraries of the CUDA toolkit are searched for, in order.
#pragma once

#include "runtime/cuda/toolkit.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace specmv {

// A library of the toolkit, and the package to install if it is missing.
struct ToolkitLibrary {
  const char *name;                // "NVRTC"
  std::vector<const char *> files; // the preferred name first
  const char *aptPackage;          // in NVIDIA's repository for Debian and Ubuntu
  const char *pipPackage;
  const char *beside = nullptr; // as in DynamicLibrary::open
  // If it is not 0, the newest library goes first instead of the order of places, except that a
  // major version above this goes last (toolkit_version.h). SPECMV_CUDA_HOME still decides.
  int newestUpTo = 0;
};

// Returns the paths to try for these files, from these places in this order:
//   SPECMV_CUDA_HOME;
//   the folder of libspecmv.so or of the program that this is linked into, and lib64/ and lib/
//     beside that folder;
//   the toolkit of the build, where the library lies in the folder that it was built in;
//   NVIDIA's packages beside specmv's own and in a Python environment (python_places.h);
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
