// The GPU model to plan with.
#pragma once

#include "models/gpus/sheet.h"
#include "runtime/machine.h"

namespace specmv {

// The model to predict with: the one that the request names, else the user's, else a built-in one.
// SPECMV_GPU_MODEL does not count where the request names an architecture to predict for, nor does
// the cache folder with onlyPacks.
llvm::Expected<SharedModel> modelToPlanFor(const MachineRequest &request, const GpuInfo *gpu);

// The built-in model of a device of this name; "" if there is none.
std::string builtInModelOf(llvm::StringRef device);

// What a model of a device of this name would be called: "h100" of "NVIDIA H100 80GB HBM3",
// "rtx4090" of "NVIDIA GeForce RTX 4090".
std::string modelNameOf(llvm::StringRef device);

// What the driver tells of a device, in the units of data sheets; 0: it does not tell.
GpuSheet toldBy(const GpuInfo &info);

// The built-in model of a device of that name. If there is none, it is borrowed and scaled by what
// the driver tells (models/gpus/borrow.h). In both cases architecture, SMs, threads, L2 and
// shared memory are those of the device.
llvm::Expected<SharedModel> modelOf(const GpuInfo &info, ModelParts parts = ModelParts::all);

} // namespace specmv
