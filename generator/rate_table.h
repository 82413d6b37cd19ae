// The table of all rates by which products are priced: those of the traffic model, those that
// formats share, and those of each format and of the paces of its kernels.
#pragma once

#include "models/gpu.h"
#include "models/rate.h"

#include <vector>

namespace specmv {

struct Format;

// By ascending name, each once.
llvm::ArrayRef<Rate> allRates();

// Null if there is no rate of that name.
const Rate *findRate(llvm::StringRef name);

// Fails with Status::badInput if a model has a rate that is not in the table: it may be misspelt.
llvm::Error checkRates(const GpuModel &gpu);

// Why plans of a format should not be chosen before others on a GPU: the model has none of the
// rates of its kernels' paces, or of its own if it has no paces, so that only defaults predict. ""
// otherwise.
std::string whyNotMeasured(const Format &format, const GpuModel &gpu);

// The rates that a model lacks, whose defaults predict. Built-in models lack at most those of
// formats that were not measured, which are not told.
std::vector<Rate> lackingRates(const GpuModel &gpu);

// States in a clause which rates predict if some are not the model's own: those that it borrowed
// (models/gpus/borrow.h), or the defaults of those that it lacks, with a rate
// that is probably one of these, misspelt; "" otherwise.
std::string foreignRatesText(const GpuModel &gpu);

} // namespace specmv
