// The GPU models that a user has, and the one to plan with.
#pragma once

#include "models/gpu.h"
#include "models/gpus/borrow.h"
#include "runtime/machine.h"
#include "runtime/store/cache.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace specmv {

// --- Own model -----------------------------------------------------------------------------------

// Finds the GPU models that a user has: the one that the environment names, and those in the cache
// folder, which are found by the names of their GPUs.

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

// --- Planning model ------------------------------------------------------------------------------

// Finds the GPU model to plan with.

// Returns the model of the GPU that a request means. No other function decides this. In this order:
//  - the model that the request names,
//  - if the request names an architecture that is not this machine's: the GPU that represents it,
//    or the user's model that SPECMV_GPU_MODEL names if it has this architecture,
//  - the GPU of this machine (`gpu`), by the user's model or the built-in one; the
//    cache folder is ignored with onlyPacks,
//  - without a GPU, the model that SPECMV_GPU_MODEL names, otherwise the H200's.
// Blocks of its plans can have the shared memory that the architecture and `gpu` have.
llvm::Expected<SharedModel> modelToPlanFor(const MachineRequest &request, const GpuInfo *gpu);

// The built-in model of a device of this name; "" if there is none.
std::string builtInModelOf(llvm::StringRef device);

// Returns the name that a model of this device would have: "h100" for "NVIDIA H100 80GB HBM3",
// "rtx4090" for "NVIDIA GeForce RTX 4090".
std::string modelNameOf(llvm::StringRef device);

// Returns what the driver reports about a device, in the units of data sheets; 0 where it reports
// nothing.
GpuSheet toldBy(const GpuInfo &info);

// Returns the built-in model of the device. If there is none, borrows another one and scales it by
// what the driver reports (models/gpus/borrow.h). In both cases architecture, SMs, threads, L2 and
// shared memory are those of the device.
llvm::Expected<SharedModel> modelOf(const GpuInfo &info, ModelParts parts = ModelParts::all);

} // namespace specmv
