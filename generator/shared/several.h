// Kernels and launches for several vectors at once, made from a format's kernel for one vector
// (templates/shared/several.cuh).
#pragma once

#include "generator/emit.h"

#include <string>
#include <vector>

namespace specmv {

// The number of vectors that one launch multiplies if about `vectors` are wanted: 1, 2, 4, 8 or 16.
int vectorsOfPass(int64_t vectors);

// The number of threads of a team, which does for the problem's vectors what one thread does for
// one vector.
int64_t teamOf(const Problem &problem);

// The differences of a kernel for several vectors from the kernel for one.
struct SeveralKernel {
  const char *function = ""; // "": the same
  int64_t threads = 0;       // of a block; 0: as many as
  int64_t blocksPerSm = 0;   // as Kernel::blocksPerSm
};

// The kernels of a source: the one for one vector and, if the problem has several, the kernels for
// several.
std::vector<Kernel> kernelsFor(const Kernel &one, const Problem &problem,
                               const SeveralKernel &several = {});

// The launch of the kernel for several vectors, with `blocks` blocks.
Steps severalSteps(const Kernel &one, const Problem &problem, int64_t blocks,
                   const SeveralKernel &several = {});

// The launch that copies X to rows of the problem's number of vectors if the kernel cannot read X
// itself, and the bytes to which these rows must be aligned.
Launch rowsOfXLaunch(const Problem &problem, int64_t cols);
int64_t alignmentOfRows(const Problem &problem);

// The traffic of a product with several vectors, computed from the traffic with one.
Traffic trafficOfSeveral(const PlanRequest &in, const Traffic &one);

// Says in a sentence why a warp cannot have a team for each of `lanes` lanes; "" if it can.
std::string whyNoTeams(const Problem &problem, const char *parameter, int64_t lanes);

} // namespace specmv
