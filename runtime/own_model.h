// The GPU models that a user has: the one that the environment names, and those in the cache
// folder, which are found by the names of their GPUs.
#pragma once

#include "models/gpu.h"
#include "runtime/store/cache.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace specmv {

// The model that SPECMV_GPU_MODEL names, a built-in one or a file; nullopt if it is not set. A
// model that cannot be had is badCall, and names the variable.
llvm::Expected<std::optional<SharedModel>> modelOfEnvironment();

// The path of a device's model in a cache folder: FOLDER/models/nvidia-h100-80gb-hbm3.json. The
// whole name counts, since devices whose short names are equal can have other rates.
std::string keptModelPath(llvm::StringRef folder, llvm::StringRef device);

// The model there; nullopt if there is none, or no folder ("") or none that is trusted, of which
// the cache warns. A file that is not trusted, or not a model, is badCall, and the sentence begins
// with its path.
llvm::Expected<std::optional<SharedModel>> keptModel(const std::string &folder,
                                                     llvm::StringRef device);

// Finds the place for the model of a device in the user's own cache, and makes its folder.
// Status::missing if there is none or it cannot be written.
llvm::Expected<std::string> placeForModel(Cache &cache, llvm::StringRef device);

} // namespace specmv
