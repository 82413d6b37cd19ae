// How a format multiplies by CSR arrays where they lie on a GPU, without a copy of them and without
// a profile, so that a product can be launched at once.
#pragma once

#include "generator/setup/workspace.h"
#include "models/gpu.h"
#include "models/plan.h"
#include "models/problem.h"

#include <optional>

namespace specmv {

struct InPlace {
  // The plans for a matrix of this size, the preferred one first. None where the format does not
  // apply. Their index types are those of the CSR arrays wherever a kernel reads these.
  std::vector<Plan> (*plans)(const DeviceCsr &, const GpuModel &);
  // The source of the kernels that pack() launches; its text is empty if there are none.
  KernelSource (*source)(const Plan &, const Problem &, IndexType csrIndex);
  // Makes the layout, which is not on the host. Those of its arrays that equal CSR arrays are lent
  // by the workspace; the others are filled. Nothing of the CSR arrays is checked.
  llvm::Expected<Layout> (*pack)(Workspace &, const Plan &, const Problem &);
};

} // namespace specmv
