// Counts the entries of columns on the host executor, with the kernels for a GPU, and compares with
// the host's counts.
#include "generator/setup/profile.h"

#include "models/lab/families/families.h"
#include "tests/simt/packing_testing.h"

using namespace specmv;
using namespace specmv::simt;

namespace {

void checkDegrees(const CsrView &given) {
  for (const IndexType index : {IndexType::i32, IndexType::i64})
    withIndices(given, index, [](const CsrView &a) {
      const ColumnDegrees host = columnDegrees(a);
      for (unsigned seed = 0; seed < 2; ++seed) {
        HostWorkspace workspace(a, seed);
        const auto counted = llvm::cantFail(columnDegreesOn(workspace));
        REQUIRE(counted);
        CHECK(*counted == host);
      }
      return true;
    });
}

} // namespace

TEST_CASE("a GPU counts the entries of columns as the host does") {
  for (const TestMatrix &matrix : caseMatrices()) {
    INFO(matrix.name);
    checkDegrees(matrix.view(ValueType::f64, nullptr));
  }
  // These columns have about the most entries that are counted, and one has nearly all.
  for (const char *spec : {"dense:rows=4094,cols=2", "dense:rows=4095,cols=2",
                           "dense:rows=4096,cols=2", "rmat:scale=11", "arrow:rows=5000"}) {
    INFO(spec);
    checkDegrees(llvm::cantFail(generateFamily(spec)).view());
  }
}
