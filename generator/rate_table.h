// The table of all rates by which products are priced: rates of the traffic model, rates that
// formats share, rates of each format, and the paces of its kernels.
#pragma once

#include "models/gpu.h"
#include "models/rate.h"

#include <vector>

namespace specmv {

struct Format;

// All rates by ascending name, each once.
llvm::ArrayRef<Rate> allRates();

// Returns null if no rate has the name.
const Rate *findRate(llvm::StringRef name);

// Fails with Status::badInput if a model has a rate that is not in the table: it may be misspelt.
// The sentence begins with `origin`, where the model comes from.
llvm::Error checkRates(const GpuModel &gpu, llvm::StringRef origin);

// Says why plans of a format should not be chosen before others on a GPU: the model has no rate of
// the paces of its kernels, or of its own if it has no paces, so that only defaults predict. ""
// if it has some.
std::string whyNotMeasured(const Format &format, const GpuModel &gpu);

// The rates that a model lacks, whose defaults predict, by ascending name; none for a built-in
// model. Rates of formats that were not measured on the GPU are left out: they predict no plan that
// is chosen by itself.
std::vector<Rate> lackingRates(const GpuModel &gpu);

// Says in a clause that predictions use rates that the model borrowed (models/gpus/borrow.h), or
// the defaults of rates that it lacks, and that it has a rate that no format reads, as the file of
// another version may; "" if all rates are its own.
std::string foreignRatesText(const GpuModel &gpu);

} // namespace specmv
