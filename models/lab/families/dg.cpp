// Discontinuous Galerkin matrices: each element has its own unknowns, which full blocks couple to
// each other and to those of the elements across its faces. The elements are the triangles or
// tetrahedra into which the cells of a grid are cut (Kuhn): one for each order of the axes. Its
// corners are on the path from a cell's lowest corner to its highest that takes the axes in this
// order.
#include "models/lab/families/build.h"

#include "models/base/error.h"

#include <algorithm>
#include <array>

namespace specmv {
namespace {
using Axes = std::array<int, 3>;

// Orders of the axes. The first two permute only x and y and belong to triangles.
constexpr std::array<Axes, 6> kOrders = {
    {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};

struct Elements {
  int64_t side, dim; // cells per side, and dimensions

  int64_t perCell() const { return dim == 2 ? 2 : 6; }
  int64_t count() const { return perCell() * side * side * (dim == 2 ? 1 : side); }
  int64_t stride(int axis) const { return axis == 0 ? 1 : axis == 1 ? side : side * side; }

  // Calls f with an element and with its neighbours across its faces. The face without one of the
  // inner corners of the path is inside the cell, and the neighbour has two axes swapped. The face
  // without the first corner is where the cell ends along the first axis; the neighbour is in the
  // next cell and has this axis last. The face without the last corner is the reverse case.
  template <class F> void forNeighbours(int64_t element, const F &f) const {
    const int64_t cell = element / perCell();
    const Axes &order = kOrders[static_cast<size_t>(element % perCell())];
    const int last = order[static_cast<size_t>(dim - 1)];
    const auto inCell = [&](int64_t at, const Axes &axes) {
      f(at * perCell() + (std::find(kOrders.begin(), kOrders.end(), axes) - kOrders.begin()));
    };
    inCell(cell, order);
    for (size_t corner = 1; corner < static_cast<size_t>(dim); ++corner) {
      Axes swapped = order;
      std::swap(swapped[corner - 1], swapped[corner]);
      inCell(cell, swapped);
    }
    if (Axes behind = order; cell / stride(order.front()) % side + 1 < side) {
      std::rotate(behind.begin(), behind.begin() + 1, behind.begin() + dim);
      inCell(cell + stride(order.front()), behind);
    }
    if (Axes before = order; cell / stride(last) % side > 0) {
      std::rotate(before.begin(), before.begin() + dim - 1, before.begin() + dim);
      inCell(cell - stride(last), before);
    }
  }
};
} // namespace

// There are at most 32767 cells per side, so the products are below 2^48.
static llvm::Error checkElements(const Elements &elements, int64_t unknowns) {
  if (elements.count() <= kMaxIndex / unknowns)
    return llvm::Error::success();
  return fail(Status::badCall, "dg: n={0} cells per side (dim={1}, b={2}) have more than {3} rows",
              elements.side, elements.dim, unknowns, kMaxIndex);
}

llvm::Expected<CsrMatrix> generateDg(const SpecOptions &options) {
  const Elements elements{options.integer("n"), options.integer("dim")};
  const int64_t b = options.integer("b");
  if (llvm::Error error = checkElements(elements, b))
    return error;
  const auto lengthOf = [&](int64_t row) {
    int64_t blocks = 0;
    elements.forNeighbours(row / b, [&](int64_t) { ++blocks; });
    return blocks * b;
  };
  const auto fillColumns = [&](int64_t row, std::span<int32_t> col) {
    auto block = col.begin();
    elements.forNeighbours(row / b, [&](int64_t other) { *block++ = static_cast<int32_t>(other); });
    std::sort(col.begin(), block);
    expandBlocks(col, static_cast<size_t>(b));
  };
  const int64_t rows = b * elements.count();
  return buildMatrix(rows, rows, valuesOf(options), lengthOf, fillColumns);
}

} // namespace specmv
