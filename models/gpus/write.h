// Writes the JSON of a GPU's model: a whole one, or that of another one with some numbers replaced.
#pragma once

#include "models/gpu.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

#include <map>

namespace specmv {

struct GpuChanges {
  std::string name = {}; // empty: stays
  // The new value of each field, "gatherGBs" or "rates.csr5.tilePasses".
  std::map<std::string, double> numbers = {};
  std::string source = {}; // where all of them come from
  std::optional<Benchmarks> benchmarks = {};
  std::optional<Curves> curves = {};
};

// The text of `base`, a model that parseGpuModel() takes, with these changes. Rates or costs that
// it borrows are written out with their sources. What is written reads back to the bit.
// Fails with badInput, naming `origin`, if the result is no model: if a field is none of a model,
// or a value out of its range.
llvm::Expected<std::string> changedGpuModel(llvm::StringRef base, llvm::StringRef origin,
                                            const GpuChanges &changes);

// The text of a model, which parseGpuModel() takes and reads back to the bit. `sourceOf` is asked
// for the source of each number by its path.
std::string gpuModelText(const GpuModel &gpu,
                         llvm::function_ref<std::string(llvm::StringRef path)> sourceOf);

// The source of a number of a model's JSON, "" if there is no such number.
std::string sourceIn(const llvm::json::Object &model, llvm::StringRef path);

} // namespace specmv
