// Finds the GPU model to plan with.
#pragma once

#include "models/gpus/sheet.h"
#include "runtime/machine.h"

namespace specmv {

// Returns the model to predict with: the one that the request names, otherwise the user's,
// otherwise a built-in one. SPECMV_GPU_MODEL is ignored if the request names an architecture to
// predict for, and the cache folder is ignored with onlyPacks.
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
