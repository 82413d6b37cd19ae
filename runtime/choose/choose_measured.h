// Chooses by measuring: builds plans one after another, times each, and keeps the fastest.
#pragma once

#include "runtime/choose/choose.h"
#include "runtime/measure/measure.h"

namespace specmv {

// Returns the indices of the candidates that the rigor measures: all, or the best of each format
// and the best few overall.
std::vector<size_t> plansToMeasure(Rigor rigor, llvm::ArrayRef<Candidate> candidates);

// Builds and times the candidates with these indices and returns the fastest. The matrix is
// uploaded once, missing kernels are compiled beforehand on all cores, and memory holds two plans
// at a time: the fastest so far and the one being timed. A plan that cannot be built is a warning.
// Status::noGpu without a GPU, notInPacks if only packs are allowed and have none of the kernels;
// Status::notApplicable if no plan can be built.
llvm::Expected<BuiltChoice> chooseMeasured(const SourceMatrix &a, const Problem &problem,
                                           llvm::ArrayRef<Candidate> candidates,
                                           llvm::ArrayRef<size_t> indices, const Protocol &protocol,
                                           Machine &machine);

} // namespace specmv
