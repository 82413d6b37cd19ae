// GPU models as C++ tables, so that a program can plan without parsing JSON: parsing takes 2 to 3
// ms, longer than making a plan. Fields on which no choice depends are left out: benchmarks, curves
// and sources.
#pragma once

#include "models/gpu.h"
#include "llvm/ADT/ArrayRef.h"

namespace specmv {

// The fields in the order of the tables in fields.h.
struct FlatGpuModel {
  llvm::ArrayRef<const char *> texts;
  llvm::ArrayRef<double> reals;
  llvm::ArrayRef<int64_t> integers;
  llvm::ArrayRef<FlatRate> rates, setup;
  const char *ratesFrom;
  const char *digest; // digestOf() the model
};

GpuModel modelOf(const FlatGpuModel &flat);

// C++ code that defines an array kFlatModels of these.
std::string flatText(llvm::ArrayRef<GpuModel> models);

} // namespace specmv
