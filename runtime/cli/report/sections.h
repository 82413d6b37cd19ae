// The sections of a report. Each turns what analyze found, and what was measured, into HTML; none
// predicts anything itself.
#pragma once

#include "runtime/cli/analyze/analysis.h"
#include "runtime/cli/matrix_argument.h"
#include "runtime/explain/explain.h"
#include "runtime/lab/bench/bench.h"
#include "runtime/lab/cupti/kernel_profile.h"

#include <optional>
#include <string>

namespace specmv::cli {

// Returns the measured time of a plan's product; 0 if it was not measured.
double measuredUs(const std::optional<MatrixBench> &bench, const Plan &plan);

// A report is about these.
struct Reported {
  const TypedMatrix &a;
  const Analysis &analysis; // has at least one candidate
  const Explanation &why;   // by measured times if there are any
  const Layout &layout;     // of the chosen plan
  const std::optional<MatrixBench> &bench;
  const std::optional<KernelProfile> &counted; // of the chosen plan, if there is a GPU

  const GpuModel &gpu() const { return analysis.machine.model; }
  const SparsityProfile &profile() const { return analysis.seen.profiled.profile; }
  ValueType type() const { return analysis.request.problem.type; }
  const Candidate &chosen() const { return analysis.seen.ranked.candidates[analysis.fit.index]; }
  SetupSize size() const { return sizeOf(profile(), type()); }
  // Returns the best candidate of each format that fits, in ranking order.
  std::vector<const Candidate *> bestOfFormats() const;
  // "predicted" or "measured", whichever the times of `why` are.
  const char *basis() const;
};

std::string whySection(const Reported &r);
std::string spySection(const Reported &r);
std::string rowsSection(const Reported &r);
std::string structureSection(const Reported &r);
std::string candidatesSection(const Reported &r);
std::string rooflineSection(const Reported &r);
std::string countersSection(const Reported &r); // r.counted must be there
std::string bytesSection(const Reported &r);
std::string setupSection(const Reported &r);
std::string papersSection(const Reported &r);
std::string sourceSection(const Reported &r);

// Returns the whole page.
std::string reportPage(const Reported &r);

} // namespace specmv::cli
