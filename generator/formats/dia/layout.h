// Packing of DIA, and what its plans must know of it.
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

// A profile lists every diagonal that a kernel can have in its code.
static_assert(kMaxListedDiagonals == kMaxDiagonals);

// DIA is refused if it needs more slots for each entry than this: its values alone are then as many
// bytes as CSR reads in float, and more in double.
constexpr int64_t kMaxDiaPadding = 2;

constexpr Parameter kDiaParameters[] = {{.name = key::kDiaRows.name,
                                         .least = 1,
                                         .most = 4,
                                         .isPowerOfTwo = true,
                                         .isSettable = true,
                                         .tried = {1, 2, 4}},
                                        {.name = key::kDiaHoles.name, .least = 0, .most = 1},
                                        kBlockParameter};

// The kernel of a plan without a list has the offsets of the diagonals as an argument.
inline bool hasOffsetsAsArgument(const Plan &plan) { return !plan.has(key::kDiaOffsets); }
inline int64_t diagonalsOf(const Plan &plan) { return std::ssize(plan.get(key::kDiaOffsets)); }

struct DiaCounts {
  int64_t rows = 0, cols = 0, diagonals = 0;
  int64_t holeWords = 0; // of all distinct sets of holes
};
// The arrays and arguments of the kernel.
constexpr const char *kDiaOffsets = "offsets"; // of the diagonals, which may be as large as columns
Fields diaFields(const Plan &plan, const Problem &problem, const DiaCounts &counts);

// Why so many diagonals of a matrix are refused, as a sentence; "" if they are not.
std::string whyNotDia(int64_t diagonals, int64_t rows, int64_t nnz);

// Places of the diagonal inside the matrix.
int64_t placesOf(int64_t offset, int64_t rows, int64_t cols);

// The plan's offsets; fails if no matrix of this size can be packed for it.
llvm::Expected<std::vector<int64_t>> diaOffsets(const Plan &plan, const MatrixSize &a);

// Fails if the plan does not fit a matrix in which `stray` is the least offset of an entry that is
// on none of the diagonals, and `holes` places of these have no entry.
llvm::Error checkDiaEntries(const Plan &plan, int64_t stray, int64_t holes);

llvm::Expected<Layout> diaLayout(const CsrView &a, const Plan &plan, const Problem &problem);

} // namespace specmv
