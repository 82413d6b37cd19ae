// Packs a matrix for JAD on the host, and refuses matrices and plans that do not fit.
#include "generator/formats/jad/layout.h"

#include "generator/shared/padded.h"
#include "generator/shared/rows_by_length.h"
#include "generator/shared/typed_array.h"
#include "models/base/error.h"
#include "templates/pack/slots.cuh"

namespace specmv {

// More diagonals than this are refused, since one thread goes through all of them. With this many,
// it takes 0.8 ms at 51 ns an entry (ELL's loop on an H200).
constexpr int64_t kMostDiagonals = 16384;

int64_t jadStarts(int64_t diagonals) {
  return diagonals / kPaddedBatch * kPaddedBatch + kPaddedBatch + 2;
}

Fields jadFields(const Plan &plan, const Problem &problem, const JadShape &shape) {
  const auto [offset, column] = indexTypesOf(plan);
  return joined(
      {{array("jdPtr", offset, jadStarts(shape.diagonals)), array("col", column, shape.slots)},
       valueFields(plan, problem, shape.slots),
       vectors(problem),
       {number("rows", offset, shape.rows), array("perm", offset, shape.rows)}});
}

std::string whyNoJad(int64_t diagonals) {
  if (diagonals <= kMostDiagonals)
    return "";
  return llvm::formatv("jad would have {0} diagonals, one for each entry of the longest row; the "
                       "limit is {1} (csr-merge has none)",
                       diagonals, kMostDiagonals);
}

llvm::Error checkJadDiagonals(int64_t diagonals) {
  if (const std::string why = whyNoJad(diagonals); !why.empty())
    return fail(Status::notApplicable, "{0}", why);
  return llvm::Error::success();
}

llvm::Error checkJadSlots(const Plan &plan, const MatrixSize &a, int64_t slots) {
  if (slots > kMaxSlots)
    return fail(Status::notApplicable, "jad needs {0} slots for this matrix; the limit is {1}",
                slots, kMaxSlots);
  return checkIndexTypes(plan, a.rows, a.cols, slots + a.rows);
}

// The first slot of each diagonal, then copies of the end of the last one up to the length of
// jdPtr.
static std::vector<int64_t> diagonalStarts(const CsrView &a, const std::vector<int64_t> &order) {
  return visitPattern(a, [&](auto p) {
    auto lengthAt = [&](int64_t place) {
      const int64_t row = order[static_cast<size_t>(place)];
      return static_cast<int64_t>(p.rowPtr[row + 1] - p.rowPtr[row]);
    };
    std::vector<int64_t> start{0};
    int64_t rows = p.rows; // longer than k
    for (int64_t k = 0; rows > 0; ++k) {
      while (rows > 0 && lengthAt(rows - 1) <= k)
        --rows;
      if (rows > 0)
        start.push_back(start.back() + jadSlotsOfDiagonal(rows));
    }
    const int64_t diagonals = static_cast<int64_t>(start.size()) - 1;
    start.resize(static_cast<size_t>(jadStarts(diagonals)), start.back());
    return start;
  });
}

static void fillJad(const CsrView &a, const std::vector<int64_t> &order,
                    const std::vector<int64_t> &start, Layout &out) {
  copyIndices(*out.find("jdPtr"), start.data(), static_cast<int64_t>(start.size()));
  copyIndices(*out.find("perm"), order.data(), a.rows);
  out.slots = Slots(static_cast<size_t>(a.nnz));
  packPadded(
      a, a.nnz, *out.find("col"), out.slots,
      [&](int64_t place) { return order[static_cast<size_t>(place)]; },
      [&](int64_t place, int64_t k) { return jadSlot(start[static_cast<size_t>(k)], place); });
}

llvm::Expected<Layout> jadLayout(const CsrView &a, const Plan &plan, const Problem &problem) {
  const int64_t diagonals = longestRow(a);
  if (llvm::Error error = checkJadDiagonals(diagonals))
    return error;
  const std::vector<int64_t> order = rowsByLength(a, a.rows);
  const std::vector<int64_t> start = diagonalStarts(a, order);
  if (llvm::Error error = checkJadSlots(plan, dimensionsOf(a), start.back()))
    return error;
  Layout out;
  addFields(out, jadFields(plan, problem, {a.rows, diagonals, start.back()}));
  fillJad(a, order, start, out);
  return out;
}

} // namespace specmv
