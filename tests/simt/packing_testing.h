// Packs a case on the host executor as on a GPU, and compares each array with the host's packing,
// byte by byte, and the slots of its entries with the host's.
#pragma once

#include "tests/simt/packings.h"
#include "tests/simt/run.h"
#include "tests/simt/slots_testing.h"

namespace specmv::simt {

// Calls f with the matrix in CSR arrays of the index type.
template <class F> auto withIndices(const CsrView &a, IndexType type, F &&f) {
  if (type == a.indexType)
    return f(a);
  return visitPattern(a, [&](auto p) {
    const std::vector<int64_t> rowPtr(p.rowPtr, p.rowPtr + p.rows + 1), col(p.col, p.col + p.nnz);
    return f(CsrView{a.rows, a.cols, a.nnz, type, a.valueType, rowPtr.data(), col.data(), a.val});
  });
}

// False if the format gives the case to the host.
inline bool checkPacking(const TestCase &test, unsigned seed, IndexType csrIndex = IndexType::i32) {
  INFO(test.name(), ", seed ", seed);
  std::optional<Layout> host = checkedLayout(test);
  if (!host)
    return true;
  const std::vector<double> entries = integerValues(*test.matrix);
  const auto check = [&](const CsrView &view) {
    HostWorkspace workspace(view, seed);
    auto device = test.format->layoutOn(workspace, test.plan.plan, test.problem);
    if (!device) {
      FAIL_CHECK(describe(device.takeError()).second);
      return true;
    }
    if (!*device)
      return false;
    const std::string difference = firstDifference(*host, **device, workspace);
    CHECK_MESSAGE(difference.empty(), difference);
    const std::string wrong = wrongSlots(view, test.plan.plan, test.problem, *host, seed);
    CHECK_MESSAGE(wrong.empty(), wrong);
    return true;
  };
  return withView(*test.matrix, test.problem.type, entries,
                  [&](const CsrView &view) { return withIndices(view, csrIndex, check); });
}

} // namespace specmv::simt
