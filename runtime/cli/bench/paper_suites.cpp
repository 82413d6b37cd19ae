// Lists the matrices of the five papers' experiments, as twins where no family makes the matrix.
#include "runtime/cli/bench/suite.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv::cli {

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

} // namespace specmv::cli
