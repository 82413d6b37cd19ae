// Finds the GPU models that a user has: the one that the environment names, and those in the cache
// folder, which are found by the names of their GPUs.
#pragma once

#include "models/gpu.h"
#include "runtime/store/cache.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace specmv {

// Returns the model that a user names, a built-in one or a file. A rate that no format reads is
// refused with the name of the file, since it may be misspelt.
llvm::Expected<SharedModel> namedModel(const std::string &nameOrPath);

// Returns the model that SPECMV_GPU_MODEL names, a built-in one or a file; nullopt if the variable
// is not set. If the model cannot be read, the error is badCall and names the variable.
llvm::Expected<std::optional<SharedModel>> modelOfEnvironment();

// Returns the path of a device's model in a cache folder: FOLDER/models/nvidia-h100-80gb-hbm3.json.
// It uses the full name, since devices whose short names are equal can have different rates.
std::string keptModelPath(llvm::StringRef folder, llvm::StringRef device);

// Reads the model at that path. nullopt if it does not exist, if there is no folder (""), or if the
// folder is not trusted, which the cache warns about. It may have rates that this version does not
// read, since another one may have written it; foreignRatesText() tells of them. A file that is not
// trusted, or is not a model, is badCall, and the sentence begins with its path.
llvm::Expected<std::optional<SharedModel>> keptModel(const std::string &folder,
                                                     llvm::StringRef device);

// Returns the path for a device's model in the user's own cache and creates its folder.
// Status::missing if there is no cache or it is not writable.
llvm::Expected<std::string> placeForModel(Cache &cache, llvm::StringRef device);

} // namespace specmv
