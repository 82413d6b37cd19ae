// Writes the lines of evaluate, with the measurements of a matrix, and reads them again, also from
// a file of bench.
#pragma once

#include "models/gpu.h"
#include "runtime/lab/evaluate/measured.h"
#include "runtime/lab/evaluate/score.h"

#include "llvm/Support/JSON.h"

namespace specmv::cli {

// Returns a line for each measured format, with all its plans, and the summary with the profile.
// The papers' models predict by the reading.
std::string linesOf(const Measured &measured, const GpuModel &gpu, bool verified,
                    const StripsReading &reading = {});

struct ReadMeasured {
  llvm::json::Object session = {};   // the line about the machine
  std::optional<Curves> curves = {}; // curves that calibrate measured
  std::vector<Measured> all = {};
  int64_t unknownPlans = 0; // number of plans that this version no longer offers

  std::string machine() const; // "NVIDIA H200"
  // Returns true if the measurements are from the GPU of this model, as far as names tell.
  bool isOf(const GpuModel &gpu) const;
};
// Returns the line of curves.
std::string curvesLine(const Curves &curves);

// Checks a file for verbs that need measured plans: badInput if it has none, and a warning about
// plans that this version does not offer.
llvm::Error checkMeasured(const ReadMeasured &read, const std::string &path, const GpuModel &gpu);

// Returns the last line of a file that says where it was measured; empty if there is none.
llvm::Expected<llvm::json::Object> sessionIn(const std::string &path);

// Reads a file that evaluate, calibrate or bench wrote. It may be compressed by gzip, its lines
// after the last summary may be incomplete, and files of one GPU can be joined. If a summary has no
// profile, as in files of bench, the matrix is loaded by its name, also from the folder of real
// matrices, and profiled. Wrong and untimed products are left out.
llvm::Expected<ReadMeasured> readMeasured(const std::string &path, const GpuModel &gpu);

} // namespace specmv::cli
