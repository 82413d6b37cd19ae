// Lists the matrices of each suite: classes of matrices that solvers use, in sizes larger and
// smaller than the L2 cache.
#include "runtime/cli/bench/suite.h"

#include "models/base/environment.h"
#include "runtime/store/absolute.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>

namespace specmv::cli {

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
