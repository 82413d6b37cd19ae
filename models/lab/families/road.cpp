// Road networks: crossings with at most four roads, in a plane. They are the nodes of a net of
// quadrilaterals, of which a part of the sides is missing. The pattern is symmetric and has no
// diagonal. Nodes are numbered as solvers do, by Cuthill and McKee, or at random.
#include "models/lab/families/mesh.h"

#include "models/base/machine_memory.h"

#include <cmath>

namespace specmv {
namespace {
// `nodes` crossings in lines of `width`; the last line may be shorter.
struct Roads {
  int64_t nodes;
  double missing; // share of the sides
  uint64_t seed;
  int64_t width = static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(nodes))));

  // The neighbours of a crossing, ascending.
  Star star(int64_t node) const {
    const bool isFirst = node % width == 0, isLast = (node + 1) % width == 0;
    Star out;
    if (node >= width && isRoad(node - width, 1))
      out.add(node - width);
    if (!isFirst && isRoad(node - 1, 0))
      out.add(node - 1);
    if (!isLast && node + 1 < nodes && isRoad(node, 0))
      out.add(node + 1);
    if (node + width < nodes && isRoad(node, 1))
      out.add(node + width);
    return out;
  }

  // Returns true if there is a road from a crossing to the next one in its line (0) or the next
  // line (1).
  bool isRoad(int64_t from, int64_t direction) const {
    return Random(seed, Drawn::columns, 2 * from + direction).unit() >= missing;
  }
};
} // namespace

llvm::Expected<CsrMatrix> generateRoad(const SpecOptions &options) {
  const int64_t rows = options.integer("rows");
  const double missing = options.real("missing");
  const auto entries = std::llround(4 * (1 - missing) * static_cast<double>(rows));
  if (llvm::Error error = checkFits(rows, rows, entries, availableMemory(), "about "))
    return error;
  const Values values = valuesOf(options);
  const Roads roads{rows, missing, values.seed};
  const auto starOf = [&](int64_t node) { return roads.star(node); };
  return buildMesh(numberedMesh(options, rows, starOf), starOf, values);
}

} // namespace specmv
