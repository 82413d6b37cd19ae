// The sections of a page about a bench: ours against each algorithm of cuSPARSE, and what the
// prediction and the choice are worth.
#pragma once

#include "runtime/cli/report/bench/cases.h"

namespace specmv::cli {

std::string totalsSection(const BenchFile &file);
std::string profilesSection(const BenchFile &file);
std::string ratiosSection(const BenchFile &file);
std::string predictionSection(const BenchFile &file);
std::string regretSection(const BenchFile &file);
std::string matricesSection(const BenchFile &file);

// Returns the whole page.
std::string benchPage(const BenchFile &file);

// Two digits behind the point, three near 1.
std::string ratioText(double ratio);

} // namespace specmv::cli
