// Chooses and checks the widths of indices.
#include "generator/index_types.h"
#include "generator/parameters.h"
#include "models/base/error.h"

#include <algorithm>

namespace specmv {

static ElementType indexOfBits(int64_t bits) {
  return bits == 64 ? ElementType::i64 : ElementType::i32;
}

IndexTypes indexTypesOf(const Plan &plan) {
  return {indexOfBits(plan.get(key::kOffset)), indexOfBits(plan.get(key::kColumn))};
}

Types typesOf(const Plan &plan, const Problem &problem) {
  const auto [offset, column] = indexTypesOf(plan);
  return {elementOf(problem.type), offset, column};
}

Types kernelTypesOf(const Plan &plan, const Problem &problem) {
  const auto [offset, column] = indexTypesOf(plan);
  return {elementOf(vectorTypeOf(problem)), offset, column};
}

// The largest number that 32-bit indices are used for. It is 2^20 below the largest int: threads of
// the last block compute indices beyond the last row before they compare them.
constexpr int64_t kMaxIndex32 = 0x7fffffffLL - (1 << 20);

static int64_t bitsFor(int64_t largest) { return largest <= kMaxIndex32 ? 32 : 64; }

ElementType columnTypeFor(int64_t cols) { return indexOfBits(bitsFor(cols)); }

void addIndexTypes(Plan &plan, int64_t rows, int64_t cols, int64_t slots) {
  plan.integers.reserve(plan.integers.size() + 2);
  plan.integers.emplace_back(key::kOffset, bitsFor(std::max(rows, slots)));
  plan.integers.emplace_back(key::kColumn, bitsFor(cols));
}

llvm::Error checkIndexTypes(const Plan &plan, int64_t rows, int64_t cols, int64_t slots) {
  if (bitsFor(std::max(rows, slots)) > plan.get(key::kOffset))
    return fail(
        Status::notApplicable,
        "the plan's 32-bit offsets are too narrow for {0} rows and {1} slots; the limit is {2}",
        rows, slots, kMaxIndex32);
  if (bitsFor(cols) > plan.get(key::kColumn))
    return fail(Status::notApplicable,
                "the plan's 32-bit column indices are too narrow for {0} columns; the limit is {1}",
                cols, kMaxIndex32);
  return llvm::Error::success();
}

} // namespace specmv
