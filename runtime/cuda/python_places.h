// Finds NVIDIA's libraries in a Python environment, where `pip install nvidia-cuda-nvrtc` puts
// them.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace specmv {

// Adds those of the files that are in NVIDIA's packages beside specmv's own, where a wheel of
// specmv is installed: in site-packages/nvidia/*/lib if specmv's folder is site-packages/specmv.
void addPackagesBeside(llvm::ArrayRef<const char *> files, const std::string &ownFolder,
                       std::vector<std::string> &paths);

// Adds those of the files that are in the NVIDIA packages of the environments $VIRTUAL_ENV and
// $CONDA_PREFIX, and of the first Python on $PATH, in this order: in
// .../site-packages/nvidia/*/lib, and in conda's own lib. No program is run to find them.
void addPythonPlaces(llvm::ArrayRef<const char *> files, std::vector<std::string> &paths);

} // namespace specmv
