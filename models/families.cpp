// The catalogue of families: the keys of each, the table with one line a family, and the way from a
// SPEC to its matrix.
#include "models/families.h"

#include "models/error.h"
#include "models/families_build.h"

#include <new>

namespace specmv {
namespace {

constexpr SpecKey kSeed = integerKey("seed", "0", 0, std::numeric_limits<int64_t>::max(),
                                     "another seed makes another matrix of the same kind");
constexpr SpecKey kUnusedSeed = integerKey("seed", "0", 0, std::numeric_limits<int64_t>::max(),
                                           "taken like everywhere; nothing here is random");
constexpr SpecKey kN = integerKey("n", "1000", 1, kMaxIndex, "rows and columns");
constexpr SpecKey kRows = integerKey("rows", "n", 1, kMaxIndex, "rows");
constexpr SpecKey kCols = integerKey("cols", "n|rows", 1, kMaxIndex, "columns");
constexpr SpecKey kValues = choiceKey("values", "random", "random|integer",
                                      "uniform in (-1,1) or an integer of -4..4, never 0");
constexpr SpecKey kCoef = choiceKey("coef", "constant", "constant|random",
                                    "the Laplacian's integers or values uniform in (-1,1)");
constexpr SpecKey kNx = integerKey("nx", "n", 1, kMaxIndex, "points along x, numbered first");
constexpr SpecKey kNy = integerKey("ny", "n", 1, kMaxIndex, "points along y");
constexpr SpecKey kNz = integerKey("nz", "n", 1, kMaxIndex, "points along z");

constexpr SpecKey kGrid2d[] = {integerKey("n", "100", 1, kMaxIndex, "points a side"), kNx, kNy,
                               kCoef, kSeed};
constexpr SpecKey kGrid3d[] = {
    integerKey("n", "20", 1, kMaxIndex, "points a side"), kNx, kNy, kNz, kCoef, kSeed};
constexpr SpecKey kRandom[] = {
    kN,
    kRows,
    kCols,
    integerKey("k", "16", 0, kMaxIndex, "mean entries a row"),
    realKey("spread", "0", 0, 1, "row lengths are uniform in k(1-spread) .. k(1+spread)"),
    kValues,
    kSeed};
constexpr SpecKey kBand[] = {
    kN,
    kRows,
    kCols,
    integerKey("k", "17", 1, kMaxIndex, "entries a row, fewer where the band has fewer columns"),
    integerKey("half", "100", 0, kMaxIndex, "columns of the band on either side of the diagonal"),
    kValues,
    kSeed};
constexpr SpecKey kBlocks[] = {
    integerKey("n", "900", 1, kMaxIndex, "rows and columns, multiples of b"),
    kRows,
    kCols,
    integerKey("b", "3", 1, kMaxIndex, "rows and columns of a block"),
    integerKey("k", "27", 1, kMaxIndex, "blocks a block row, fewer where the band has fewer"),
    integerKey("band", "100", 0, kMaxIndex, "block columns on either side of the diagonal block"),
    kValues,
    kSeed};
constexpr SpecKey kPowerlaw[] = {
    kN,
    kRows,
    kCols,
    realKey("avg", "8", 0, kMaxIndex, "mean entries a row"),
    realKey("alpha", "2.2", 1, 10, "exponent of the density of row lengths, above 1"),
    integerKey("max", "20000", 1, kMaxIndex, "longest row; by default at most cols"),
    kValues,
    kSeed};
constexpr SpecKey kSpike[] = {kN,
                              kRows,
                              kCols,
                              integerKey("k", "4", 0, kMaxIndex, "entries of an ordinary row"),
                              integerKey("spikes", "1", 0, kMaxIndex, "number of long rows"),
                              integerKey("length", "cols", 0, kMaxIndex, "entries of a long row"),
                              kValues,
                              kSeed};
constexpr SpecKey kShape[] = {kN, kRows, kCols, kValues, kSeed};
constexpr SpecKey kEmpty[] = {integerKey("n", "1000", 0, kMaxIndex, "rows and columns"),
                              integerKey("rows", "n", 0, kMaxIndex, "rows"),
                              integerKey("cols", "n|rows", 0, kMaxIndex, "columns"), kUnusedSeed};
// Numbering a face takes a step for each board row; larger boards with k = 1 would take hours.
constexpr int64_t kMaxBoard = 1000;
constexpr SpecKey kChessboard[] = {integerKey("m", "7", 1, kMaxBoard, "rows of the board"),
                                   integerKey("n", "8", 1, kMaxBoard, "columns of the board"),
                                   integerKey("k", "5", 1, kMaxBoard, "dimension: k + 1 rooks"),
                                   kUnusedSeed};

constexpr Family kFamilies[] = {
    {"stencil5", "5-point Laplacian on a grid of nx x ny points", kGrid2d, generateStencil5},
    {"stencil9", "9-point Laplacian on a grid of nx x ny points", kGrid2d, generateStencil9},
    {"stencil7", "7-point Laplacian on a grid of nx x ny x nz points", kGrid3d, generateStencil7},
    {"stencil27", "27-point Laplacian on nx x ny x nz points", kGrid3d, generateStencil27},
    {"band", "random columns in a band, the diagonal among them", kBand, generateBand},
    {"random", "uniformly random columns", kRandom, generateRandom},
    {"blocks", "full b x b blocks at random places of a band", kBlocks, generateBlocks},
    {"powerlaw", "power-law row lengths, half of the columns local", kPowerlaw, generatePowerlaw},
    {"spike", "short rows and a few very long ones", kSpike, generateSpike},
    {"dense", "every entry present", kShape, generateDense},
    {"diagonal", "the main diagonal", kShape, generateDiagonal},
    {"empty", "no entry at all", kEmpty, generateEmpty},
    {"chessboard", "boundary of the chessboard complex, chM-N-bK", kChessboard, generateChessboard},
};

llvm::Expected<const Family *> findFamily(llvm::StringRef name) {
  std::string names;
  for (const Family &family : kFamilies) {
    if (family.name == name)
      return &family;
    names += (names.empty() ? "" : ", ") + family.name.str();
  }
  return fail(Status::badCall, "unknown family \"{0}\"; the families are {1}", name, names);
}

llvm::Expected<CsrMatrix> generateNamed(llvm::StringRef text) {
  llvm::Expected<Spec> spec = parseSpec(text);
  if (!spec)
    return spec.takeError();
  llvm::Expected<const Family *> family = findFamily(spec->name);
  if (!family)
    return family.takeError();
  llvm::Expected<SpecOptions> options = readOptions(*spec, (*family)->keys);
  if (!options)
    return options.takeError();
  llvm::Expected<CsrMatrix> matrix = (*family)->generate(*options);
  if (matrix)
    matrix->name = text.str();
  return matrix;
}

} // namespace

llvm::ArrayRef<Family> families() { return kFamilies; }

llvm::Expected<CsrMatrix> generateFamily(llvm::StringRef spec) {
  try {
    return generateNamed(spec);
  } catch (const std::bad_alloc &) {
    return fail(Status::missing, "{0} does not fit the memory of this machine", spec);
  }
}

} // namespace specmv
