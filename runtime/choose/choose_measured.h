// Chooses by measuring: builds plans one after another, times each, and keeps the fastest.
#pragma once

#include "runtime/measure/measure.h"
#include "runtime/plan/realize.h"

namespace specmv {

// Builds and times the proposals, and returns the fastest. The matrix is uploaded once, missing
// kernels are compiled beforehand on all cores, and memory holds two plans at a time: the fastest
// so far and the one being timed. With Proposals::compilesFew, plans are timed with kernels that
// are at hand, if need be with the general ones of their format; the others are compiled only where
// they may be faster, and the fastest gets its own kernels. A plan that cannot be built is a
// warning. Status::noGpu without a GPU, notInPacks if only packs are allowed and have none of the
// kernels; Status::notApplicable if no plan can be built.
llvm::Expected<BuiltChoice> fastestOf(Session &session, const Proposals &proposals);

} // namespace specmv
