// Chooses by measuring: builds plans one after another, times each, and keeps the fastest.
#pragma once

#include "runtime/choose/choose.h"
#include "runtime/measure/measure.h"

namespace specmv {

// The candidates that the rigor measures, as indices: all, or the best of each format and the best
// few over all.
std::vector<size_t> plansToMeasure(Rigor rigor, llvm::ArrayRef<Candidate> candidates);

// The fastest of the candidates with these indices. The matrix is uploaded once, what the kernels
// lack is compiled on all cores before, and memory has two plans at a time: the fastest so far and
// the one that is timed. A plan that cannot be built is a warning. Status::missing without a GPU,
// or if only packs are allowed and have none of the kernels; Status::notApplicable if no plan can
// be built.
llvm::Expected<BuiltChoice> chooseMeasured(const SourceMatrix &a, const Problem &problem,
                                           llvm::ArrayRef<Candidate> candidates,
                                           llvm::ArrayRef<size_t> indices, const Protocol &protocol,
                                           Machine &machine);

} // namespace specmv
