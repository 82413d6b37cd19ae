// Finds the GPU model to plan with.
#pragma once

#include "models/gpus/sheet.h"
#include "runtime/machine.h"

namespace specmv {

// Returns the model of the GPU that a request means. No other function decides this. In this order:
//  - the model that the request names,
//  - if the request names an architecture that is not this machine's: the GPU that represents it,
//    or the user's model that SPECMV_GPU_MODEL names if it has this architecture,
//  - the GPU of this machine (`gpu`), by the user's model (own_model.h) or the built-in one; the
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
