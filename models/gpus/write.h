// Writes the JSON of a GPU's model: that of another one with some numbers replaced.
#pragma once

#include "models/gpu.h"

#include <map>

namespace specmv {

struct GpuChanges {
  std::string name = {}; // empty: stays
  // The new value of each field, "gatherGBs" or "rates.csr5.tilePasses".
  std::map<std::string, double> numbers = {};
  std::string source = {}; // where all of them come from
  std::optional<Benchmarks> benchmarks = {};
};

// The text of `base`, a model that parseGpuModel() takes, with these changes. Rates or costs that
// it borrows are written out with their sources. What is written reads back to the bit.
// Fails with badInput, naming `origin`, if the result is no model: if a field is none of a model,
// or a value out of its range.
llvm::Expected<std::string> changedGpuModel(llvm::StringRef base, llvm::StringRef origin,
                                            const GpuChanges &changes);

} // namespace specmv
