// Writes the JSON of a GPU model: a whole model, or another model with some numbers replaced.
#pragma once

#include "models/gpu.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

#include <map>

namespace specmv {

struct GpuChanges {
  std::string name = {}; // empty: keeps the name
  // The new values, by field: "gatherGBs" or "rates.csr5.tilePasses".
  std::map<std::string, double> numbers = {};
  std::string source = {}; // the source of all of them
  std::optional<Benchmarks> benchmarks = {};
  std::optional<Curves> curves = {};
};

// The text of `base`, a model that parseGpuModel() accepts, with these changes. Borrowed rates and
// costs are written out with their sources. The text reads back to the same bits.
//
// Fails with badInput, naming `origin`, if the result is not a model because a field is unknown or
// a value is out of its range.
llvm::Expected<std::string> changedGpuModel(llvm::StringRef base, llvm::StringRef origin,
                                            const GpuChanges &changes);

// The text of a model, which parseGpuModel() reads back to the same bits. `sourceOf` gives the
// source of each number from its path.
std::string gpuModelText(const GpuModel &gpu,
                         llvm::function_ref<std::string(llvm::StringRef path)> sourceOf);

// The source of a number in a model's JSON; "" if there is no such number.
std::string sourceIn(const llvm::json::Object &model, llvm::StringRef path);

} // namespace specmv
