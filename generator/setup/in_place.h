// Products of a format by the caller's CSR arrays on a GPU. They need no copy of the arrays and no
// profile, so a product can be launched at once.
#pragma once

#include "generator/setup/workspace.h"
#include "models/gpu.h"
#include "models/plan.h"
#include "models/problem.h"

#include <optional>

namespace specmv {

struct InPlace {
  // The plans for a matrix of this size, the preferred one first; none if the format does not
  // apply. The plan has the index type of each CSR array that a kernel reads.
  std::vector<Plan> (*plans)(const DeviceCsr &, const GpuModel &);
  // The source of the kernels that pack() launches; its text is empty if there are none.
  KernelSource (*source)(const Plan &, const Problem &, IndexType csrIndex);
  // Makes the layout on the device. The workspace lends the arrays that equal CSR arrays; kernels
  // fill the others. The CSR arrays are not checked.
  llvm::Expected<Layout> (*pack)(Workspace &, const Plan &, const Problem &);
  // The arrays and numbers of that layout.
  Fields (*fields)(const MatrixSize &, const Plan &, const Problem &);
};

} // namespace specmv
