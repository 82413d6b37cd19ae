// The table of all rates by which products are priced: rates of the traffic model, rates that
// formats share, rates of each format, and the paces of its kernels.
#pragma once

#include "models/gpu.h"
#include "models/rate.h"

namespace specmv {

// All rates by ascending name, each once.
llvm::ArrayRef<Rate> allRates();

// Returns null if no rate has the name.
const Rate *findRate(llvm::StringRef name);

// Fails with Status::badInput if a model has a rate that is not in the table: it may be misspelt.
llvm::Error checkRates(const GpuModel &gpu);

// Says in a clause that predictions use rates that the model borrowed (models/gpus/borrow.h), or
// the defaults of rates that it lacks; "" if all rates are its own.
std::string foreignRatesText(const GpuModel &gpu);

} // namespace specmv
