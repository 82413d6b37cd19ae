// Lists the numbers of a GPU's model that a fit may move, with their bounds and expected distances.
#pragma once

#include "models/gpu.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <utility>
#include <vector>

namespace specmv {

// Lists the members of a model that a fit moves besides its rates, with their names.
llvm::ArrayRef<std::pair<const char *, double GpuModel::*>> fittedMembers();

// All numbers but `start` refer to the logarithm of the value divided by the start.
struct Knob {
  std::string name;
  double GpuModel::*member = nullptr; // null: a rate
  double start = 0;
  double least = 0, most = 0;
  double sigma = 0; // its expected distance, as a standard deviation

  void set(GpuModel &gpu, double moved) const;
};

// Leaves out the numbers in `left`, those that are 0, and rates that no slope fits (models/rate.h).
std::vector<Knob> knobsOf(const GpuModel &gpu, const std::vector<std::string> &left);

// Returns the start with all knobs moved this far.
GpuModel movedBy(GpuModel start, llvm::ArrayRef<Knob> knobs, llvm::ArrayRef<double> moved);

} // namespace specmv
