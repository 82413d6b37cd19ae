// The packing of DIA, and the limits of its plans.
#pragma once

#include "generator/fields.h"
#include "generator/format.h"
#include "templates/pack/dia_found.cuh"
#include "templates/shared/constants.cuh"

#include <vector>

namespace specmv {

namespace key {
inline constexpr IntegerKey kDiaRows{"dia.rows"}, kDiaHoles{"holes"};
inline constexpr ListKey kDiaOffsets{"dia.offsets"};
} // namespace key

// A profile must list all diagonals if a kernel can have them in its code.
static_assert(kMaxListedDiagonals == kMaxDiagonals);

// DIA is refused if it needs more slots for each entry than this: its values alone would then be at
// least as many bytes as CSR reads.
constexpr int64_t kMaxDiaPadding = 2;

constexpr Parameter kDiaParameters[] = {{.name = key::kDiaRows.name,
                                         .least = 1,
                                         .most = 4,
                                         .isPowerOfTwo = true,
                                         .isSettable = true,
                                         .tried = {1, 2, 4}},
                                        {.name = key::kDiaHoles.name, .least = 0, .most = 1},
                                        {.name = key::kDiaOffsets.name, .isList = true},
                                        kBlockParameter};

// The kernel of a plan without a list has the offsets of the diagonals as an argument.
inline bool hasOffsetsAsArgument(const Plan &plan) { return !plan.has(key::kDiaOffsets); }
inline int64_t diagonalsOf(const Plan &plan) { return std::ssize(plan.get(key::kDiaOffsets)); }

struct DiaCounts {
  int64_t rows = 0, cols = 0, diagonals = 0;
  int64_t holeWords = 0; // words of all distinct sets of holes
};
// The arrays and arguments of the kernel.
constexpr const char *kDiaOffsets = "offsets"; // offsets of diagonals, in the type of columns
Fields diaFields(const Plan &plan, const Problem &problem, const DiaCounts &counts);

// Says in a sentence that a matrix has too many diagonals; "" if it does not.
std::string whyNotDia(int64_t diagonals, int64_t rows, int64_t nnz);

// Places of the diagonal inside the matrix.
int64_t placesOf(int64_t offset, int64_t rows, int64_t cols);

// The plan's offsets. Fails if no matrix of this size can be packed for the plan.
llvm::Expected<std::vector<int64_t>> diaOffsets(const Plan &plan, const MatrixSize &a);

// Fails if the plan does not fit the matrix. `stray` is the least offset of the entries outside the
// plan's diagonals; `holes` places of the diagonals have no entry.
llvm::Error checkDiaEntries(const Plan &plan, int64_t stray, int64_t holes);

llvm::Expected<Layout> diaLayout(const CsrView &a, const Plan &plan, const Problem &problem);

} // namespace specmv
