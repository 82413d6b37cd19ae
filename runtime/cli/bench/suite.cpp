// Lists the matrices of each suite: classes that solvers use, those of the papers, and families
// that no fit saw.
#include "runtime/cli/bench/suite.h"

#include "models/base/own_environment.h"
#include "runtime/store/folder.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace specmv::cli {

// --- Paper suites --------------------------------------------------------------------------------

// Lists the matrices of the five papers' experiments, as twins where no family makes the matrix.

namespace {
// A suite: the names of twins, and whether they have the paper's own number of entries.
struct PaperSuite {
  const char *name;
  llvm::StringLiteral twins;
  bool asPaper;
  llvm::StringLiteral specs = ""; // of families, divided by blanks
};
} // namespace

// The statistics paper prints six names of its thirty matrices. The others are square matrices of
// the other papers, the smallest ones, since its own are of that size.
constexpr PaperSuite kPaperSuites[] = {
    {"pmf", "bbmat Chebyshev4 twotone scircuit PR02R pwtk raefsky3 raefsky5 rma10 TSOPF_RS_b300_c3",
     false},
    {"qcsr", "2D_54019_highK add32 case9 aug3d g7jac060 g3rmt3m3 foldoc", false},
    {"hcghyb",
     "tols4000 meg4 tuma2 poli_large fd15 poli4 lp_stocfor3 bayer04 lhr10 mark3jac120 copter2 "
     "ch7-8-b5 fp sinc18 Zd_Jac6 TSOPF_RS_b300_c2 xenon2",
     true},
    {"strips", "pdb1HYS consph cant rma10 conf5_4-8x8-05 shipsec1 mc2depi", true, "dense:n=2000"},
    {"statistics",
     "cavity05 bcsstk04 bp_1600 bcsstk16 bips98_1142 bayer09 2D_54019_highK add32 case9 aug3d "
     "g7jac060 g3rmt3m3 foldoc tols4000 meg4 tuma2 poli_large fd15 poli4 bayer04 lhr10 mark3jac120 "
     "copter2 ch7-8-b5 fp sinc18 Zd_Jac6 raefsky3 raefsky5 bbmat",
     false},
};

static llvm::SmallVector<llvm::StringRef, 32> specWords(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 32> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  return words;
}

std::vector<std::string> paperSpecs(llvm::StringRef name) {
  std::vector<std::string> out;
  for (const PaperSuite &suite : kPaperSuites) {
    if (name != suite.name)
      continue;
    for (const llvm::StringRef spec : specWords(suite.specs))
      out.push_back(spec.str());
    for (const llvm::StringRef twin : specWords(suite.twins))
      out.push_back(llvm::formatv("twin:{0}{1}", twin, suite.asPaper ? ",as=paper" : ""));
  }
  return out;
}

// --- Unseen --------------------------------------------------------------------------------------

// Lists the matrices of the suite "unseen". Their families are used for no fit of a model, and few
// of their sizes are round numbers or powers.

// CSR in float takes 100 to 600 MB.
static constexpr const char *kBeyondL2[] = {"spin:n=21",
                                            "spin:n=24,up=10",
                                            "spin:n=26,up=8",
                                            "transfer:n=113",
                                            "transfer:nx=1201,ny=1733,nz=1",
                                            "transfer:n=127,of=restriction",
                                            "kkt:n=109",
                                            "kkt:nx=1371,ny=1009,nz=1",
                                            "lattice:l=19,t=35,b=3",
                                            "lattice:l=14,t=29,b=7",
                                            "queue:s=3,room=131",
                                            "queue:s=4,room=37",
                                            "queue:s=6,room=9",
                                            "factor:rows=700000,width=9,fill=5",
                                            "factor:rows=1900000,width=3,fill=4,band=3000",
                                            "molecule:atoms=7400,near=21",
                                            "molecule:atoms=19000,near=6",
                                            "knn:rows=1300000,k=17",
                                            "knn:rows=3700000,k=9",
                                            "road:rows=8300000",
                                            "road:rows=5100000,order=random",
                                            "prefer:rows=1700000,m=7",
                                            "prefer:rows=900000,m=19,order=age",
                                            "kron:scale=13,edge=9",
                                            "kron:scale=12,edge=31",
                                            "genes:rows=30000,cols=600000,avg=2390",
                                            "genes:rows=9000,cols=31000,avg=3100,sigma=0.4",
                                            "genes:rows=270000,cols=27000,avg=110",
                                            "text:rows=610000,cols=170000",
                                            "text:rows=230000,cols=1300000,avg=130,sigma=1.1"};

// CSR in float takes 0.1 to 50 MB.
static constexpr const char *kWithinL2[] = {"spin:n=12",
                                            "spin:n=17",
                                            "spin:n=19,up=7",
                                            "transfer:n=13",
                                            "transfer:n=41",
                                            "transfer:n=47,of=restriction",
                                            "transfer:nx=211,ny=157,nz=1,of=restriction",
                                            "kkt:n=11",
                                            "kkt:n=43",
                                            "kkt:nx=173,ny=121,nz=1",
                                            "lattice:l=5,t=7,b=3",
                                            "lattice:l=9,t=13,b=5",
                                            "queue:s=5,room=3",
                                            "queue:s=4,room=14",
                                            "factor:rows=3100",
                                            "factor:rows=67000,width=4,fill=9",
                                            "molecule:atoms=130",
                                            "molecule:atoms=1100,near=17",
                                            "knn:rows=7300,k=6",
                                            "knn:rows=190000,k=15",
                                            "road:rows=41000",
                                            "road:rows=730000",
                                            "prefer:rows=9100,m=5",
                                            "prefer:rows=210000,m=11",
                                            "kron:scale=9,edge=6",
                                            "kron:scale=11,edge=13",
                                            "genes:rows=700,cols=33000,avg=1900",
                                            "genes:rows=8000,cols=19000,avg=300,sigma=0.9",
                                            "text:rows=4700,cols=61000",
                                            "text:rows=33000,cols=28000,avg=140"};

std::vector<std::string> unseenSpecs() {
  std::vector<std::string> specs(std::begin(kBeyondL2), std::end(kBeyondL2));
  specs.insert(specs.end(), std::begin(kWithinL2), std::end(kWithinL2));
  return specs;
}

// --- Suite ---------------------------------------------------------------------------------------

// Lists the matrices of each suite: classes of matrices that solvers use, in sizes larger and
// smaller than the L2 cache.

// A row of the table: one class of matrix at the size of each suite.
struct SuiteRow {
  const char *full, *quick;
};

static constexpr SuiteRow kRows[] = {
    {"stencil5:n=3000", "stencil5:n=950"},
    {"stencil5:n=3000,coef=random", "stencil5:n=950,coef=random"},
    {"stencil7:n=200", "stencil7:n=92"},
    {"stencil7:n=200,coef=random", "stencil7:n=92,coef=random"},
    {"stencil27:n=160", "stencil27:n=74"},
    {"stencil27:n=160,coef=random", "stencil27:n=74,coef=random"},
    {"elasticity:n=75", "elasticity:n=35"},
    {"blocks:b=3,k=27,band=400,rows=900000", "blocks:b=3,k=27,band=400,rows=90000"},
    {"fem2d:rows=2000000", "fem2d:rows=200000"},
    {"fem2d:rows=2000000,order=random", "fem2d:rows=200000,order=random"},
    {"band:k=17,half=10000,rows=2000000", "band:k=17,half=10000,rows=200000"},
    {"band:k=17,half=2000,rows=2000000", "band:k=17,half=2000,rows=200000"},
    {"random:k=16,rows=2000000", "random:k=16,rows=200000"},
    {"random:k=24,spread=0.9,rows=1000000", "random:k=24,spread=0.9,rows=100000"},
    {"powerlaw:rows=2000000,avg=8,alpha=2.2,max=20000",
     "powerlaw:rows=200000,avg=8,alpha=2.2,max=20000"},
    {"rmat:scale=20,edge=16", "rmat:scale=17,edge=16"},
    {"circuit:rows=2000000", "circuit:rows=200000"},
    {"epidemic:n=2048", "epidemic:n=640"},
    {"qcd:l=16", "qcd:l=8"},
    {"chessboard:m=8,n=8,k=5", "chessboard:m=7,n=8,k=5"},
    {"mycielskian:k=15", "mycielskian:k=12"},
    {"dense:n=2000", "dense:n=632"},
    {"dense:rows=64,cols=1000000", "dense:rows=64,cols=100000"},
    {"dense:rows=1000000,cols=64", "dense:rows=100000,cols=64"},
    {"lp:rows=4284,cols=1096894", "lp:rows=428,cols=109689"},
    {"stencil5:n=100", "stencil5:n=100"},
    {"random:k=40,rows=5000", "random:k=40,rows=5000"},
};

struct SuiteKind {
  const char *name;
  const char *SuiteRow::*spec;
  int64_t leastEntries;
};
static constexpr SuiteKind kKinds[] = {{"full", &SuiteRow::full, 50000},
                                       {"quick", &SuiteRow::quick, 300000}};

std::string matrixFolder() {
  const std::string set = environmentPath(environment("SPECMV_MATRICES"));
  return set.empty() ? "../shared/matrices" : set;
}

static std::vector<std::string> matrixFiles() {
  const std::string folder = matrixFolder();
  std::vector<std::string> files;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error)) {
    const llvm::StringRef path = it->path();
    if (path.ends_with(".mtx") || path.ends_with(".mtx.gz"))
      files.push_back(path.str());
  }
  std::sort(files.begin(), files.end());
  return files;
}

llvm::Expected<Suite> findSuite(const std::string &name) {
  if (name == "unseen")
    return Suite{.files = {}, .specs = unseenSpecs(), .hasFiles = false};
  if (std::vector<std::string> specs = paperSpecs(name); !specs.empty())
    return Suite{.files = {}, .specs = std::move(specs), .hasFiles = false};
  for (const SuiteKind &kind : kKinds)
    if (name == kind.name) {
      Suite suite{matrixFiles(), {}, kind.leastEntries};
      for (const SuiteRow &row : kRows)
        suite.specs.emplace_back(row.*kind.spec);
      return suite;
    }
  return fail(Status::badCall,
              "--suite '{0}' is not a valid value; use full, quick or unseen, or a paper's: pmf, "
              "qcsr, hcghyb, strips or statistics",
              name);
}

} // namespace specmv::cli
