// Graphs of preferential attachment (Barabasi and Albert, "Emergence of scaling in random
// networks", 1999): each new node is joined to `m` nodes, which are chosen in proportion to their
// degrees. The pattern is symmetric and has no diagonal; edges that are drawn several times count
// once, loops not at all.
#include "models/lab/families/entries.h"
#include "models/lab/families/mesh.h"

#include "models/base/error.h"
#include "models/base/machine_memory.h"

namespace specmv {

// Returns the older end of an edge by the method of Sanders and Schulz ("Scalable generation of
// scale-free graphs", 2016). In a list of the ends of all edges, each node occurs as often as its
// degree, so a uniform choice from the part of the list before this end is one in proportion to
// degrees. Even places hold the new node of an edge. What an odd place holds follows from its own
// choice, so no list is needed.
static int64_t olderEnd(uint64_t seed, int64_t edge, int64_t m) {
  for (;;) {
    const int64_t place = Random(seed, Drawn::columns, edge).below(2 * edge + 1);
    if (place % 2 == 0)
      return place / 2 / m;
    edge = place / 2;
  }
}

llvm::Expected<CsrMatrix> generatePrefer(const SpecOptions &options) {
  const int64_t rows = options.integer("rows"), m = options.integer("m");
  if (m > kMaxIndex / 2 / rows)
    return fail(Status::badCall, "prefer: rows={0} x 2 x m={1} is more than {2} entries", rows, m,
                kMaxIndex);
  if (llvm::Error error = checkFits(rows, rows, 2 * m * rows, availableMemory(), "up to "))
    return error;
  const Values values = valuesOf(options);
  std::vector<int32_t> number = allNodes(rows); // of each node, from the oldest on
  if (options.text("order") == "random")
    number = randomOrder(std::move(number), values.seed);
  const auto emitEntries = [&](int64_t begin, int64_t end, Emit emit) {
    for (int64_t edge = begin; edge < end; ++edge) {
      const int32_t newer = number[static_cast<size_t>(edge / m)],
                    older = number[static_cast<size_t>(olderEnd(values.seed, edge, m))];
      if (newer == older)
        continue;
      emit(newer, older);
      emit(older, newer);
    }
  };
  return buildFromEntries(rows, rows, values, m * rows, emitEntries);
}

} // namespace specmv
