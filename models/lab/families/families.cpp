// The catalogue of families: a table with one line per family, and the code that generates the
// matrix of a SPEC.
#include "models/lab/families/families.h"

#include "models/base/error.h"
#include "models/base/stage.h"
#include "models/base/text.h"
#include "models/lab/families/draws.h"
#include "models/lab/families/keys.h"

#include <new>

namespace specmv {
constexpr bool kUnseen = true;

constexpr Family kFamilies[] = {
    {"stencil5", "5-point Laplacian on a grid of nx x ny points", kGrid2d, generateStencil5},
    {"stencil9", "9-point Laplacian on a grid of nx x ny points", kGrid2d, generateStencil9},
    {"stencil7", "7-point Laplacian on a grid of nx x ny x nz points", kGrid3d, generateStencil7},
    {"stencil27", "27-point Laplacian on nx x ny x nz points", kGrid3d, generateStencil27},
    {"band", "random columns in a band, the diagonal among them", kBand, generateBand},
    {"random", "uniformly random columns", kRandom, generateRandom},
    {"blocks", "full b x b blocks at random places in a band", kBlocks, generateBlocks},
    {"powerlaw", "power-law row lengths, half of the columns near the diagonal", kPowerlaw,
     generatePowerlaw},
    {"web", "power-law row lengths, columns of the same host and popular ones", kWeb, generateWeb},
    {"features", "columns of skewed popularity, by Zipf's law", kFeatures, generateFeatures},
    {"widetable", "log-uniform row lengths", kWidetable, generateWidetable},
    {"hypersparse", "mostly empty rows", kHypersparse, generateHypersparse},
    {"arrow", "a full band and a few full rows and columns", kArrow, generateArrow},
    {"spike", "short rows and a few very long ones", kSpike, generateSpike},
    {"dense", "all entries present", kShape, generateDense},
    {"diagonal", "the main diagonal", kShape, generateDiagonal},
    {"empty", "no entries", kEmpty, generateEmpty},
    {"chessboard", "boundary of the chessboard complex, chM-N-bK", kChessboard, generateChessboard},
    {"elasticity", "3 x 3 couplings of 27 neighbours in 3-D", kElasticity, generateElasticity},
    {"fem2d", "linear elements on an unstructured triangular mesh", kFem2d, generateFem2d},
    {"fem3d", "linear elements on a tetrahedral mesh with removed nodes", kFem3d, generateFem3d},
    {"coupled", "b unknowns per grid point, blocks with missing entries", kCoupled,
     generateCoupled},
    {"dg", "discontinuous Galerkin: b x b blocks of triangles or tetrahedra", kDg, generateDg},
    {"circuit", "nodes with few neighbours, and rails with very many", kCircuit, generateCircuit},
    {"communities", "graph of communities, with hubs", kCommunities, generateCommunities},
    {"epidemic", "Markov chain of an epidemic, like mc2depi", kEpidemic, generateEpidemic},
    {"qcd", "Wilson-Dirac hopping matrix on l^4 sites, 39 entries per row", kQcd, generateQcd},
    {"rmat", "R-MAT graph, probabilities 0.57 0.19 0.19; an edge counts once", kRmat, generateRmat},
    {"mycielskian", "the triangle-free graph mycielskianK", kMycielskian, generateMycielskian},
    {"lp", "set covering: few rows, very many columns, like rail4284", kLp, generateLp},
    {"spin", "Hamiltonian of Heisenberg's spin chain on a ring", kSpin, generateSpin, kUnseen},
    {"transfer", "linear interpolation between the grids of multigrid, or its transpose", kTransfer,
     generateTransfer, kUnseen},
    {"kkt", "saddle point of Stokes' equations: velocities on faces, pressures in cells", kKkt,
     generateKkt, kUnseen},
    {"lattice", "b x b blocks on a torus of four dimensions", kLattice, generateLattice, kUnseen},
    {"queue", "Markov chain of a network of queues", kQueue, generateQueue, kUnseen},
    {"factor", "lower triangular factor with supernodes; rows grow", kFactor, generateFactor,
     kUnseen},
    {"molecule", "full blocks of 4 to 28 rows for near atoms", kMolecule, generateMolecule,
     kUnseen},
    {"knn", "nearest neighbours of random points in space", kKnn, generateKnn, kUnseen},
    {"road", "planar graph of at most four neighbours", kRoad, generateRoad, kUnseen},
    {"prefer", "graph of preferential attachment", kPrefer, generatePrefer, kUnseen},
    {"kron", "Kronecker graph of 3 x 3 parts, numbered at random", kKron, generateKron, kUnseen},
    {"genes", "log-normal row lengths, columns of mildly skewed popularity", kGenes, generateGenes,
     kUnseen},
    {"text", "log-normal row lengths, columns by Zipf's law", kText, generateText, kUnseen},
    {"rowlengths", "benchmark matrices of Guo and Wang 2012 and of Wang, Gu and Li 2017",
     kRowlengths, generateRowlengths},
    {"twin",
     "twin:NAME[,as=paper]: like a matrix of the papers in rows, columns, non-zeros and kind",
     kTwin, generateTwin},
};

static llvm::Expected<const Family *> findFamily(llvm::StringRef name) {
  std::string names;
  for (const Family &family : kFamilies) {
    if (family.name == name)
      return &family;
    names += (names.empty() ? "" : ", ") + family.name.str();
  }
  return fail(Status::badCall, "unknown family \"{0}\"{1}; the families are {2}", name,
              meantBy(name, namesIn(kFamilies)), names);
}

// `twin:NAME,...` is short for `twin:name=NAME,...`.
static std::string spelledOut(llvm::StringRef text) {
  const auto [family, options] = text.split(':');
  const bool bare = !options.empty() && !options.split(',').first.contains('=');
  return family == "twin" && bare ? ("twin:name=" + options).str() : text.str();
}

static llvm::Expected<CsrMatrix> generateNamed(llvm::StringRef text) {
  if (const auto [name, spec] = text.split(':'); name == kShuffled) {
    llvm::Expected<CsrMatrix> matrix = generateNamed(spec);
    if (!matrix)
      return matrix;
    CsrMatrix out = shuffled(*matrix);
    out.name = text.str();
    return out;
  }
  llvm::Expected<Spec> spec = parseSpec(spelledOut(text));
  if (!spec)
    return spec.takeError();
  llvm::Expected<const Family *> family = findFamily(spec->name);
  if (!family)
    return family.takeError();
  llvm::Expected<SpecOptions> options = readOptions(*spec, (*family)->keys);
  if (!options)
    return options.takeError();
  llvm::Expected<CsrMatrix> matrix = (*family)->generate(*options);
  if (matrix && matrix->name.empty())
    matrix->name = text.str();
  return matrix;
}

llvm::ArrayRef<Family> families() { return kFamilies; }

bool isUnseen(llvm::StringRef name) {
  if (name == kShuffled)
    return true;
  for (const Family &family : kFamilies)
    if (family.name == name)
      return family.unseen;
  return false;
}

llvm::Expected<CsrMatrix> generateFamily(llvm::StringRef spec) {
  const Stage stage(("generating " + spec).str());
  try {
    return generateNamed(spec);
  } catch (const std::bad_alloc &) {
    return fail(Status::missing, "{0} does not fit into the memory of this machine", spec);
  }
}

} // namespace specmv
