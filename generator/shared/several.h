// Kernels and launches for several vectors at once, from those of a format for one
// (templates/shared/several.cuh).
#pragma once

#include "generator/emit.h"

#include <string>
#include <vector>

namespace specmv {

// For how many at once kernels are made if about so many are multiplied: 1, 2, 4, 8 or 16.
int vectorsOfPass(int64_t vectors);

// The threads that do for the problem's vectors what one thread does for one vector.
int64_t teamOf(const Problem &problem);

// In what a kernel for several vectors differs from that for one.
struct SeveralKernel {
  const char *function = ""; // "": the same
  int64_t threads = 0;       // of a block; 0: as many
  int64_t blocksPerSm = 0;   // as in Kernel
};

// The kernels of a source: the one for one vector and, if the problem has several, those for them.
std::vector<Kernel> kernelsFor(const Kernel &one, const Problem &problem,
                               const SeveralKernel &several = {});

// The launch of the one for several, over `blocks` blocks.
Steps severalSteps(const Kernel &one, const Problem &problem, int64_t blocks,
                   const SeveralKernel &several = {});

// The launch that copies X to rows of the problem's number of vectors, where it has none that the
// kernel can read, and the bytes to which such rows must be aligned.
Launch rowsOfXLaunch(const Problem &problem, int64_t cols);
int64_t alignmentOfRows(const Problem &problem);

// What a product with several vectors moves and does, from what one with one does.
Traffic trafficOfSeveral(const PlanRequest &in, const Traffic &one);

// Why no team can take the place of each of `lanes` threads that must be of one warp; "" if it can.
std::string whyNoTeams(const Problem &problem, const char *parameter, int64_t lanes);

} // namespace specmv
