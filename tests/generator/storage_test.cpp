// Tests of storage: the bytes that a plan predicted are those of its layout, and those of the PMF
// paper's formulas.
#include "generator/formats/csr5/layout.h"
#include "generator/formats/dia/layout.h"
#include "tests/generator/for_all_plans.h"

#include "generator/shared/padded.h"
#include "models/predict/pmf/pmf.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

// Returns the bytes of the named arrays of a layout.
int64_t bytesOf(const Layout &layout, std::initializer_list<const char *> names) {
  int64_t sum = 0;
  for (const char *name : names)
    if (const LayoutArray *array = layout.find(name))
      sum += static_cast<int64_t>(array->bytes.size());
  return sum;
}

} // namespace

// Returns true for formats whose size the profile does not determine exactly, because of tiles with
// gaps (csr5), blocks (bcsr, cusparse-bsr), tiles and slices (qcsr), or lines of rows whose columns
// do not ascend (sell-bytes).
bool isEstimated(const Format &format, const Plan &plan) {
  const std::string name = format.name;
  return name == "bcsr" || name == "qcsr" || name == "sell-bytes" || name == "cusparse-bsr" ||
         ((name == "csr5" || name == "csr5-hot") && plan.get(key::kCsr5Empty));
}

TEST_CASE("the bytes that a plan is priced by are those of its layout where the profile is exact") {
  forAllPlans(edgeMatrices(), [](const Format &format, const Plan &plan, const CsrMatrix &a,
                                 const Problem &problem) {
    const Valued valued(a.view(), problem.type, 1);
    const int64_t stored =
        llvm::cantFail(format.layout(valued.view(), plan, problem)).storedBytes();
    const int64_t foretold = trafficOf(a, plan, problem).storedBytes;
    // Equal sets of holes are stored once.
    const bool isShared = std::string(format.name) == "dia" && plan.get(key::kDiaHoles);
    if (isShared)
      CHECK(foretold >= stored);
    else if (!isEstimated(format, plan))
      CHECK(foretold == stored);
    else if (a.nnz() > 1000) // below that, an estimate's constants are all there is
      CHECK(static_cast<double>(foretold) ==
            doctest::Approx(static_cast<double>(stored)).epsilon(0.5));
  });
}

TEST_CASE("CSR, ELL and HYB store what the PMF paper's equations 16, 18 and 20 tell") {
  int seen = 0;
  forAllPlans(edgeMatrices(), [&](const Format &format, const Plan &plan, const CsrMatrix &a,
                                  const Problem &problem) {
    const std::string name = format.name;
    if (name != "csr-scalar" && name != "ell" && name != "hyb")
      return;
    const SparsityProfile p = profile(a.view());
    const int64_t empty = !p.lengths.empty() && p.lengths[0].length == 0 ? p.lengths[0].rows : 0;
    const int64_t k = name == "ell" ? plan.get(key::kEllWidth) : plan.get(key::kHybK, 0);
    const PmfStorage paper = pmfStorage({p.lengths, p.rows, p.cols, problem.type}, h200(), k);
    const Layout layout =
        llvm::cantFail(format.layout(Valued(a.view(), problem.type, 1).view(), plan, problem));
    // The paper omits empty rows and stores the numbers of the others; here all rows have a place,
    // and so does the padding of the last warp.
    const auto v = static_cast<int64_t>(sizeOf(problem.type));
    const int64_t ours = (ellStride(a.rows) - (a.rows - empty)) * k * (v + 4);
    const int64_t paperOnly = k > 0 ? 4 * (a.rows - empty) : 0;
    if (name == "csr-scalar")
      CHECK(layout.storedBytes() == static_cast<int64_t>(paper.csr));
    else if (name == "ell")
      CHECK(layout.storedBytes() == static_cast<int64_t>(paper.ell) - paperOnly + ours);
    else
      CHECK(bytesOf(layout, {"col", "val", "row", "tailCol"}) ==
            static_cast<int64_t>(paper.hyb) - paperOnly + ours);
    ++seen;
  });
  CHECK(seen > 30);
}
