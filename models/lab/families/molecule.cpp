// Matrices like those of density functional theory in a basis of localized functions. An atom has 4
// to 28 functions, which are consecutive rows. Atoms that are nearer to each other than a cut-off
// are coupled by full blocks. Atoms are numbered by their place. The pattern is symmetric.
#include "models/lab/families/points.h"

#include "models/base/error.h"
#include "models/base/machine_memory.h"

#include <cmath>
#include <numbers>
#include <numeric>

namespace specmv {
constexpr int64_t kFewestFunctions = 4, kMostFunctions = 28;
constexpr int64_t kMeanFunctions = (kFewestFunctions + kMostFunctions) / 2;

namespace {
class Molecule {
public:
  // The cut-off is the side of a cell. A ball of this radius has 4/3 pi times the volume of a cell.
  Molecule(int64_t atoms, double near, uint64_t seed)
      : cloud_(atoms, near / (4 * std::numbers::pi / 3), seed) {
    first_.reserve(static_cast<size_t>(atoms) + 1);
    first_.push_back(0);
    for (int64_t atom = 0; atom < atoms; ++atom) {
      Random random(seed, Drawn::lengths, -1 - atom); // the cells use the numbers 0 and above
      const int64_t functions = random.below(kMostFunctions - kFewestFunctions + 1);
      first_.push_back(first_.back() + kFewestFunctions + functions);
    }
  }

  int64_t rows() const { return first_.back(); }

  // Calls f with the first column and the end of each block of a row, ascending.
  template <class F> void forBlocks(int64_t row, const F &f) const {
    const auto after = std::upper_bound(first_.begin(), first_.end(), row);
    const auto forAtom = [&](int64_t atom, int64_t squaredDistance) {
      if (squaredDistance <= PointCloud::kCellSide * PointCloud::kCellSide)
        f(first_[static_cast<size_t>(atom)], first_[static_cast<size_t>(atom) + 1]);
    };
    cloud_.forNear(after - first_.begin() - 1, 1, forAtom);
  }

private:
  PointCloud cloud_;
  std::vector<int64_t> first_{}; // the first row of each atom, and the number of rows
};
} // namespace

// Refuses a matrix by its expected number of entries, since counting them needs all atoms.
static llvm::Error checkMolecule(int64_t atoms, double near) {
  const int64_t rows = kMeanFunctions * atoms;
  if (rows > kMaxIndex)
    return fail(Status::badCall, "molecule: atoms={0} have more than {1} functions", atoms,
                kMaxIndex);
  const double perRow =
      static_cast<double>(kMeanFunctions) * (1 + std::min(near, static_cast<double>(atoms)));
  return checkFits(rows, rows, std::llround(static_cast<double>(rows) * perRow), availableMemory(),
                   "about ");
}

llvm::Expected<CsrMatrix> generateMolecule(const SpecOptions &options) {
  const int64_t atoms = options.integer("atoms");
  const double near = options.real("near");
  if (llvm::Error error = checkMolecule(atoms, near))
    return error;
  const Values values = valuesOf(options);
  const Molecule molecule(atoms, near, values.seed);
  const auto lengthOf = [&](int64_t row) {
    int64_t length = 0;
    molecule.forBlocks(row, [&](int64_t begin, int64_t end) { length += end - begin; });
    return length;
  };
  const auto fillColumns = [&](int64_t row, std::span<int32_t> col) {
    auto next = col.begin();
    molecule.forBlocks(row, [&](int64_t begin, int64_t end) {
      const auto last = next + (end - begin);
      std::iota(next, last, static_cast<int32_t>(begin));
      next = last;
    });
  };
  return buildMatrix(molecule.rows(), molecule.rows(), values, lengthOf, fillColumns);
}

} // namespace specmv
