// The places where the libraries of the CUDA toolkit are looked for, in their order.
#pragma once

#include "runtime/cuda/toolkit.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace specmv {

// A library of the toolkit, and what a user installs who lacks it.
struct ToolkitLibrary {
  const char *name;                // "NVRTC"
  std::vector<const char *> files; // the preferred name first
  const char *aptPackage;          // of NVIDIA's repository for Debian and Ubuntu
  const char *pipPackage;
  const char *beside = nullptr; // as in DynamicLibrary::open
};

// The paths to try for these files. The places, in this order:
//   SPECMV_CUDA_HOME;
//   the folder of libspecmv.so or of the program that this is linked into, and lib64/ and lib/
//     beside that folder;
//   the toolkit of the build, where the library lies in the folder that it was built in;
//   NVIDIA's packages in a Python environment (python_places.h);
//   the path of the system's loader;
//   /usr/local/cuda.
// The place counts before the name: a library in SPECMV_CUDA_HOME is preferred even if it has an
// older version than one in a later place.
std::vector<std::string> toolkitCandidates(llvm::ArrayRef<const char *> files);

// Opens the first of them that opens. If one in SPECMV_CUDA_HOME is there and does not open while a
// later one does, takeToolkitWarnings() tells. AbsentError says what to install.
llvm::Expected<DynamicLibrary> openFromToolkit(const ToolkitLibrary &library);

// Sentences for the user about libraries that were passed over; each is returned once.
std::vector<std::string> takeToolkitWarnings();

// A warning if SPECMV_CUDA_HOME is set but does not name a directory that can be read; else empty.
std::string whyNotCudaHome();

} // namespace specmv
