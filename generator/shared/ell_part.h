// Packing of an ELL array, shared by ELL and the ELL part of HYB.
#pragma once

#include "generator/emit.h"
#include "generator/shared/padded.h"

namespace specmv {

// Rows of the array, a whole number of warps, so that each of its columns begins aligned.
constexpr int64_t ellStride(int64_t rows) { return roundUp(rows, 32); }

// Slots of an ELL array of `width` columns. If there are more than kMaxSlots, the result is
// kMaxSlots + 1, so that nothing overflows.
constexpr int64_t ellSlots(int64_t rows, int64_t width) {
  const int64_t stride = ellStride(rows);
  return stride > 0 && width > kMaxSlots / stride ? kMaxSlots + 1 : width * stride;
}

// Why an ELL array of `width` columns is refused, as a sentence; "" if it is not.
std::string whyNotEll(const char *format, const SparsityProfile &p, int64_t width);

// The sentence with which a format that splits rows at K refuses a matrix without longer rows.
std::string whyAllEll(const char *format, int64_t k);

// Fills `col` (width x stride, column by column, -1 where a row has no more entries) with the first
// `width` entries of each row, in the order of the matrix, and gives these entries their slots.
void packEll(const CsrView &a, int64_t width, LayoutArray &col, Slots &slots);

// The plan for whose kernel the number `name`, the width of its ELL array, is an argument.
Plan withWidthAsArgument(Plan plan, IntegerKey width);

// The arrays and arguments of an ELL array of `width` columns and its kernel.
Fields ellFields(const Plan &plan, const Problem &problem, int64_t rows, int64_t width);

// The kernel of an ELL array of `width` columns, its plan constant, and its launch.
Kernel ellKernel(const Plan &plan, const Problem &problem);
PlanConstant ellConstant(const Plan &plan, const Problem &problem, int64_t width);
void addEllLaunch(Steps &out, const Plan &plan, const Problem &problem, const Layout &layout);

// The traffic of an ELL array of this width, which one thread a row reads.
Traffic ellTraffic(const PlanRequest &in, const Plan &plan, int64_t width, int64_t entries);

} // namespace specmv
