// GPU models as tables of C++, so that a program need not parse JSON to plan: that takes 2 to 3 ms,
// longer than to make a plan. What a choice does not depend on is not there: benchmarks, curves and
// sources.
#pragma once

#include "models/gpu.h"
#include "llvm/ADT/ArrayRef.h"

namespace specmv {

// The fields in the order of the tables in model_fields.h.
struct FlatGpuModel {
  llvm::ArrayRef<const char *> texts;
  llvm::ArrayRef<double> reals;
  llvm::ArrayRef<int64_t> integers;
  llvm::ArrayRef<FlatRate> rates, setup;
  const char *ratesFrom;
  const char *digest; // digestOf() the model
};

GpuModel modelOf(const FlatGpuModel &flat);

// C++ that defines an array kFlatModels of these.
std::string flatText(llvm::ArrayRef<GpuModel> models);

} // namespace specmv
