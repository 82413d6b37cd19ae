// The numbers of a GPU's model that a fit may move: how far, and how far they are expected to move.
#pragma once

#include "models/gpu.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <utility>
#include <vector>

namespace specmv {

// The numbers of a model that a fit moves beside its rates, with their names.
llvm::ArrayRef<std::pair<const char *, double GpuModel::*>> fittedMembers();

// All numbers but `start` are of the logarithm of the value in times of the start.
struct Knob {
  std::string name;
  double GpuModel::*member = nullptr; // null: a rate
  double start = 0;
  double least = 0, most = 0;
  double sigma = 0; // how far it is expected to move, as a standard deviation

  void set(GpuModel &gpu, double moved) const;
};

// Without those that are left, those that are 0, and those that count passes.
std::vector<Knob> knobsOf(const GpuModel &gpu, const std::vector<std::string> &left);

// The start with all knobs moved so far.
GpuModel movedBy(GpuModel start, llvm::ArrayRef<Knob> knobs, llvm::ArrayRef<double> moved);

} // namespace specmv
