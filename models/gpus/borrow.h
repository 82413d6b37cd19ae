// The model of a GPU that has no file of its own: the nearest model with measured rates, scaled by
// the data sheets of both.
#pragma once

#include "models/gpu.h"
#include "models/gpus/sheet.h"

#include "llvm/ADT/ArrayRef.h"

namespace specmv {

// The lender's model for a GPU of this sheet. Rates of memory go by the peak rates of the memories,
// so that the measured share of the peak is kept, those of L2 by SMs x clock, latencies by clocks,
// and what L1 holds by its size. Launches and efficiencies stay. What the sheet tells is the GPU's.
GpuModel scaledTo(const GpuSheet &sheet, GpuModel lender);

// Of the models with rates of their own, one of the same architecture if there is any, and of
// several the one with the nearest peak rate of memory; null if none has rates of its own.
const GpuModel *nearestLender(llvm::ArrayRef<GpuModel> models, const GpuSheet &sheet);

// Scaled from the nearest of the built-in models.
llvm::Expected<GpuModel> borrowedModel(const GpuSheet &sheet);

// The same as the text of a model of this name, in which each number says where it comes from.
// `told` is what the driver tells, not completed.
llvm::Expected<std::string> borrowedModelText(const GpuSheet &told, llvm::StringRef name);

// For planning without a GPU: a built-in model with rates of its own of that architecture, of
// several the one with the highest memory rate; else that of the GPU that stands for the
// architecture, or, without such a file, a borrowed one. Status::badCall for what is no
// architecture.
llvm::Expected<GpuModel> modelForArch(llvm::StringRef arch);

// Says in a clause whose rates a model has that borrowedModel() made; "" of every other.
std::string borrowingText(const GpuModel &gpu);

} // namespace specmv
