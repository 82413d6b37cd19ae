// Profiles and checks matrices on the host executor, with the kernels that do it on a GPU, and
// compares with the host's profile.
#include "generator/setup/check.h"
#include "generator/setup/profile.h"
#include "models/families/families.h"
#include "models/signature/signature.h"
#include "tests/simt/packing_testing.h"

using namespace specmv;
using namespace specmv::simt;

namespace {

// Whether the device profiled it; else it left the matrix to the host.
bool checkProfile(const CsrView &a, unsigned seed) {
  HostWorkspace workspace(a, seed);
  CHECK(llvm::cantFail(formsMatrix(workspace)));
  auto seen = profileOn(workspace);
  if (!seen) {
    FAIL_CHECK(describe(seen.takeError()).second);
    return true;
  }
  if (!*seen)
    return false;
  const SparsityProfile host = profile(a);
  CHECK(serializeProfile(**seen) == serializeProfile(host));
  CHECK(**seen == host);
  return true;
}

} // namespace

TEST_CASE("a GPU profiles as the host does: adversarial matrices") {
  size_t onHost = 0;
  const std::vector<TestMatrix> matrices = caseMatrices();
  for (const TestMatrix &matrix : matrices)
    for (unsigned seed = 0; seed < 3; ++seed) {
      INFO(matrix.name, ", seed ", seed);
      const CsrView narrow = matrix.view(ValueType::f64, nullptr);
      onHost += !withIndices(narrow, seed == 1 ? IndexType::i64 : IndexType::i32,
                             [&](const CsrView &a) { return checkProfile(a, seed); });
    }
  MESSAGE(onHost, " of ", 3 * matrices.size(), " left to the host");
  CHECK(onHost < matrices.size());
}

TEST_CASE("a GPU profiles as the host does: families") {
  // Bands and stencils (few diagonals), random and skewed rows, rows above 1,024 entries, several
  // windows of 16,384 rows, more entries than are sampled.
  for (const char *spec :
       {"stencil5:n=70", "stencil27:n=11", "elasticity:n=7", "random:k=9,rows=3000",
        "powerlaw:rows=4000,avg=8,max=3000", "band:k=5,half=40,rows=36000", "dense:n=260",
        "lp:rows=12,cols=30000", "circuit:rows=5000", "fem2d:rows=20000,order=random"}) {
    INFO(spec);
    const CsrMatrix a = llvm::cantFail(generateFamily(spec));
    CHECK(checkProfile(a.view(), 0));
  }
}

TEST_CASE("what is no matrix is left to the host, which says what is wrong") {
  const CsrMatrix good = llvm::cantFail(generateFamily("stencil5:n=20"));
  for (int fault = 0; fault < 6; ++fault) {
    CsrMatrix bad = good;
    if (fault == 0)
      bad.rowPtr[7] = bad.rowPtr[9] + 1;
    else if (fault == 1)
      bad.col[100] = static_cast<int32_t>(bad.cols);
    else if (fault == 2)
      bad.col[100] = -1;
    else if (fault == 3)
      bad.rowPtr[0] = 1;
    else if (fault == 4)
      --bad.rowPtr.back();
    else
      bad.rowPtr[30] = 1 << 30;
    CAPTURE(fault);
    HostWorkspace workspace(bad.view(), 0);
    CHECK_FALSE(llvm::cantFail(formsMatrix(workspace)));
    auto seen = profileOn(workspace);
    CHECK(seen);
    if (seen)
      CHECK(!*seen);
    else
      MESSAGE(describe(seen.takeError()).second);
  }
}
