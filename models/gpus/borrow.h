// Makes the model of a GPU that has no file of its own: the nearest model with measured rates,
// scaled by the data sheets of both.
#pragma once

#include "models/gpu.h"
#include "models/gpus/sheet.h"

#include "llvm/ADT/ArrayRef.h"

namespace specmv {

// The lender's model, adapted to a GPU with this sheet. Memory rates scale with the peak rates of
// the memories, which keeps the measured share of the peak. L2 rates scale with SMs x clock,
// latencies with the clock period, and the capacity of L1 with its size. Launches and efficiencies
// stay. Numbers that the sheet contains are taken from it.
GpuModel scaledTo(const GpuSheet &sheet, GpuModel lender);

// Chooses among the models with rates of their own: one of the same architecture if there is any,
// and of several the one with the nearest peak memory rate. Null if no model has rates of its own.
const GpuModel *nearestLender(llvm::ArrayRef<GpuModel> models, const GpuSheet &sheet);

// Scales the nearest of the built-in models to this sheet.
llvm::Expected<GpuModel> borrowedModel(const GpuSheet &sheet);

// The text of borrowedModel() under this name, in which each number states its source. `told` holds
// only what the driver reports; the function completes it.
llvm::Expected<std::string> borrowedModelText(const GpuSheet &told, llvm::StringRef name);

// The model for planning without a GPU. It is a built-in model of this architecture with rates of
// its own (of several, the one with the highest memory rate). If there is none, it is the model of
// the GPU that represents the architecture, otherwise a borrowed one. Status::badCall if `arch` is
// not an architecture.
llvm::Expected<GpuModel> modelForArch(llvm::StringRef arch);

// States in a clause whose rates a model made by borrowedModel() uses; "" for any other model.
std::string borrowingText(const GpuModel &gpu);

} // namespace specmv
