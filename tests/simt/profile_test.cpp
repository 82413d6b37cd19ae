// Profiles and checks matrices on the host executor, with the kernels for a GPU, and compares with
// the host's profile.
#include "generator/setup/given_csr.h"
#include "generator/setup/profile.h"
#include "models/lab/families/families.h"
#include "models/signature/signature.h"
#include "tests/simt/packing_testing.h"

using namespace specmv;
using namespace specmv::simt;

namespace {

// Returns true if the device profiled the matrix, false if it left the matrix to the host.
bool checkProfile(const CsrView &a, unsigned seed) {
  HostWorkspace workspace(a, seed);
  CHECK(llvm::cantFail(formsMatrix(workspace)));
  const auto hash = llvm::cantFail(fingerprintOn(workspace));
  if (!hash)
    return false;
  CHECK(hash->fingerprint == fingerprintOf(a));
  auto seen = profileOn(workspace, *hash);
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
  for (size_t i = 0; i < matrices.size(); ++i) {
    const auto seed = static_cast<unsigned>(i % 3);
    INFO(matrices[i].name, ", seed ", seed);
    const CsrView narrow = matrices[i].view(ValueType::f64, nullptr);
    onHost += !withIndices(narrow, i % 2 == 1 ? IndexType::i64 : IndexType::i32,
                           [&](const CsrView &a) { return checkProfile(a, seed); });
  }
  MESSAGE(onHost, " of ", matrices.size(), " left to the host");
  CHECK(3 * onHost < matrices.size());
}

TEST_CASE("a GPU profiles as the host does: families") {
  // Bands and stencils (few diagonals), random and skewed rows, rows above kCountedLengths of
  // different and of equal lengths, several windows of 16,384 rows, more entries than are sampled.
  for (const char *spec :
       {"stencil5:n=40", "elasticity:n=4", "powerlaw:rows=2000,avg=8,max=1500",
        "powerlaw:rows=1600,avg=40,alpha=1.5,max=1500", "random:k=530,rows=120,cols=2000",
        "random:k=70,rows=500", "random:k=256,rows=300", "circuit:rows=3000",
        "band:k=4,half=40,rows=17000", "dense:n=260", "qcd:l=4", "lp:rows=12,cols=30000"}) {
    INFO(spec);
    const CsrMatrix a = llvm::cantFail(generateFamily(spec));
    CHECK(checkProfile(a.view(), 0));
  }
}

TEST_CASE("diagonals are counted up to their limit, in whatever order lanes find them") {
  for (int diagonals : {256, 257}) {
    CsrMatrix a;
    a.rows = 90;
    a.cols = a.rows + diagonals;
    for (int row = 0; row < a.rows; ++row) { // of each 32 rows, the first has the same diagonals
      for (int k = row % 2; k < diagonals; k += 2) {
        a.col.push_back(row + k);
        a.val.push_back(1);
      }
      a.rowPtr.push_back(static_cast<int32_t>(a.col.size()));
    }
    CAPTURE(diagonals);
    CHECK(profile(a.view()).occupiedDiagonals == diagonals);
    for (unsigned seed = 0; seed < 6; ++seed)
      CHECK(checkProfile(a.view(), seed));
  }
}

// In the order by length, the rows of all windows of 1,024 come after the long rows of all of them.
TEST_CASE("rows too long to be counted lie in many windows") {
  CsrMatrix a;
  a.rows = 5 * 1024 + 77;
  a.cols = 700;
  for (int row = 0; row < a.rows; ++row) {
    const bool isLong = row % 1024 < 1 + row / 1024 * 2;
    const int length = isLong ? 530 + row % 3 : 1 + row % 7;
    for (int k = 0; k < length; ++k) {
      a.col.push_back(k);
      a.val.push_back(1);
    }
    a.rowPtr.push_back(static_cast<int32_t>(a.col.size()));
  }
  for (unsigned seed = 0; seed < 2; ++seed)
    CHECK(checkProfile(a.view(), seed));
}

TEST_CASE("columns that are not aligned have the same fingerprint") {
  const CsrMatrix a = llvm::cantFail(generateFamily("random:k=7,rows=300"));
  const Fingerprint expected = fingerprintOf(a.view());
  for (size_t shift = 0; shift < 4; ++shift) {
    std::vector<int32_t> rowPtr(a.rowPtr.size() + 4), col(a.col.size() + 4);
    std::copy(a.rowPtr.begin(), a.rowPtr.end(), rowPtr.begin() + static_cast<long>(shift));
    std::copy(a.col.begin(), a.col.end(), col.begin() + static_cast<long>(shift));
    CsrView view = a.view();
    view.rowPtr = rowPtr.data() + shift;
    view.col = col.data() + shift;
    HostWorkspace workspace(view, 0);
    const auto hash = llvm::cantFail(fingerprintOn(workspace));
    REQUIRE(hash);
    CHECK(hash->fingerprint == expected);
    CHECK(fingerprintOf(view) == expected);
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
    CHECK_FALSE(llvm::cantFail(fingerprintOn(workspace)));
  }
}

// The copies of a matrix with 64-bit indices, as the kernel and as the host make them.
static std::vector<int32_t> narrowedBy(HostWorkspace &workspace, const char *name, int64_t count) {
  std::vector<int32_t> out(static_cast<size_t>(count));
  llvm::cantFail(workspace.read(name, 0, count, out.data()));
  return out;
}

TEST_CASE("64-bit indices are copied to 32 bits, and what does not fit stays wrong") {
  const CsrMatrix a = llvm::cantFail(generateFamily("powerlaw:rows=700,avg=6"));
  std::vector<int64_t> rowPtr(a.rowPtr.begin(), a.rowPtr.end()), col(a.col.begin(), a.col.end());
  CsrView view = a.view();
  view.indexType = IndexType::i64;
  const auto check = [&](bool readsColumns) {
    view.rowPtr = rowPtr.data();
    view.col = col.data();
    HostWorkspace workspace(view, 1);
    llvm::cantFail(narrowOn(workspace));
    std::vector<int32_t> want(rowPtr.size()), columns(col.size());
    narrowOnHost(rowPtr.data(), static_cast<int64_t>(rowPtr.size()), want.data());
    narrowOnHost(col.data(), static_cast<int64_t>(col.size()), columns.data());
    CHECK(narrowedBy(workspace, kNarrowRowPtr, a.rows + 1) == want);
    if (readsColumns)
      CHECK(narrowedBy(workspace, kNarrowCol, a.nnz()) == columns);
    return std::pair(want, columns);
  };
  CHECK(check(true) == std::pair(a.rowPtr, a.col));
  const int64_t kWrong[] = {-1, int64_t{1} << 31, (int64_t{1} << 32) + 5, -(int64_t{1} << 40)};
  for (const int64_t wrong : kWrong) {
    col[17] = rowPtr[40] = wrong;
    const auto [rows, columns] = check(true);
    CHECK(columns[17] == -1);
    CHECK(rows[40] == -1);
  }
  rowPtr.back() = (int64_t{1} << 32) + a.nnz(); // the columns may have another length
  CHECK(check(false).first.back() == -1);
}
