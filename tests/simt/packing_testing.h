// Packs a case on the host executor as on a GPU, and compares each array with the host's packing,
// byte by byte.
#pragma once

#include "generator/setup/packing.h"
#include "tests/simt/run.h"
#include "tests/simt/workspace.h"

namespace specmv::simt {

// The first array in which two layouts differ; empty if there is none.
inline std::string firstDifference(const Layout &host, const Layout &device,
                                   const HostWorkspace &workspace) {
  if (host.arrays.size() != device.arrays.size() || host.scratch.size() != device.scratch.size() ||
      host.integers != device.integers || host.valueArray != device.valueArray)
    return "the layouts have other arrays or numbers";
  for (size_t i = 0; i < host.arrays.size(); ++i) {
    const LayoutArray &expected = host.arrays[i], &described = device.arrays[i];
    const Buffer *got = workspace.find(expected.name);
    if (expected.name != described.name || expected.type != described.type ||
        expected.count() != described.count())
      return expected.name + ": " + std::to_string(described.count()) + " elements instead of " +
             std::to_string(expected.count());
    if (!got || got->bytes() < expected.bytes.size())
      return expected.name + " is not in the workspace, or too short";
    const auto *bytes = reinterpret_cast<const char *>(expected.bytes.data());
    for (size_t at = 0; at < expected.bytes.size(); ++at)
      if (bytes[at] != got->data()[at])
        return expected.name + " differs in element " + std::to_string(at / sizeOf(expected.type));
  }
  for (size_t i = 0; i < host.scratch.size(); ++i)
    if (host.scratch[i].name != device.scratch[i].name ||
        host.scratch[i].count() != device.scratch[i].count())
      return "working memory " + host.scratch[i].name;
  return "";
}

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
    return true;
  };
  return withView(*test.matrix, test.problem.type, entries,
                  [&](const CsrView &view) { return withIndices(view, csrIndex, check); });
}

} // namespace specmv::simt
