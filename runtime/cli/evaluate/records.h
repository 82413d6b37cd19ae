// The lines of evaluate: what was measured of a matrix, and how it is read again, also from a file
// of bench.
#pragma once

#include "models/gpu.h"
#include "runtime/lab/evaluate/measured.h"
#include "runtime/lab/evaluate/score.h"

#include "llvm/Support/JSON.h"

namespace specmv::cli {

// A line for each format that was measured, with all its plans, and the summary with the profile.
std::string linesOf(const Measured &measured, const GpuModel &gpu, bool verified);

struct ReadMeasured {
  llvm::json::Object session = {};   // the line that tells where it was measured
  std::optional<Curves> curves = {}; // of calibrate
  std::vector<Measured> all = {};
  int64_t unknownPlans = 0; // which this version does not offer for the matrix any more

  std::string machine() const; // "NVIDIA H200"
  // Whether it was measured on the GPU of this model, as far as names tell.
  bool isOf(const GpuModel &gpu) const;
};
// The line of curves.
std::string curvesLine(const Curves &curves);

// For a verb that needs measured plans: badInput if the file has none, and a warning of those that
// this version does not offer.
llvm::Error checkMeasured(const ReadMeasured &read, const std::string &path, const GpuModel &gpu);

// The last line of a file that tells where it was measured; an empty one if there is none.
llvm::Expected<llvm::json::Object> sessionIn(const std::string &path);

// Reads a file that evaluate, calibrate or bench wrote, which may be packed by gzip and whose lines
// after the last summary may be incomplete; files of one GPU can be joined. Where a summary has no
// profile, as in those of bench, the matrix is loaded by its name, from the folder of real matrices
// too, and profiled. What was not right or not timed is left out.
llvm::Expected<ReadMeasured> readMeasured(const std::string &path, const GpuModel &gpu);

} // namespace specmv::cli
