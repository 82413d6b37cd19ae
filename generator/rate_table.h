// The table of all rates by which products are priced: those of the traffic model, those that
// formats share, and those of each format and of the paces of its kernels.
#pragma once

#include "models/gpu.h"
#include "models/rate.h"

#include <vector>

namespace specmv {

// By ascending name, each once.
llvm::ArrayRef<Rate> allRates();

// Null if there is no rate of that name.
const Rate *findRate(llvm::StringRef name);

// Fails with Status::badInput if a model has a rate that is not in the table: it may be misspelt.
llvm::Error checkRates(const GpuModel &gpu);

// The rates that a model lacks, whose defaults predict. A built-in model lacks none.
std::vector<Rate> lackingRates(const GpuModel &gpu);

// States in a clause which rates predict if some are not the model's own: those that it borrowed
// (models/gpus/borrow.h), or the defaults of those that it lacks, with a rate
// that is probably one of these, misspelt; "" otherwise.
std::string foreignRatesText(const GpuModel &gpu);

} // namespace specmv
