// Packs matrices on the host executor as on a GPU, and compares with the host's packing: each array
// byte by byte, the slots of entries, and each refusal word by word.
#pragma once

#include "generator/setup/packing.h"
#include "tests/simt/difference.h"
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

template <class T> std::string refusalOf(llvm::Expected<T> &layout) {
  if (layout)
    return "no refusal";
  const auto [status, sentence] = describe(layout.takeError());
  return std::to_string(static_cast<int>(status)) + ": " + sentence;
}

// The side that packs a matrix for a plan.
enum class Packs { device, host, nobody };

// Compares for a format that uses the CSR arrays in place, if the plan's columns have the type of
// the arrays.
inline std::string differenceInPlace(const CsrView &a, const Plan &plan, const Problem &problem,
                                     const Layout &host, unsigned seed) {
  const Format &format = *findFormat(plan.format);
  if (!format.inPlace || !plan.order.empty() || host.find("col")->type != elementOf(a.indexType))
    return "";
  HostWorkspace workspace(a, seed);
  auto device = format.layoutInPlace(workspace, plan, problem);
  return device ? firstDifference(host, *device, workspace) : describe(device.takeError()).second;
}

// Compares for a format that need not copy lent arrays.
inline std::string differenceIfLent(const CsrView &a, const Plan &plan, const Problem &problem,
                                    const Layout &host, unsigned seed) {
  const Format &format = *findFormat(plan.format);
  if (!format.packing->lendsEntries || !plan.order.empty())
    return "";
  HostWorkspace workspace(a, seed, true);
  auto device = format.layoutOn(workspace, plan, problem);
  return device ? firstDifference(host, **device, workspace) : describe(device.takeError()).second;
}

// Packs for the plan on both sides: the bytes must be equal, or both must refuse in the same words.
inline Packs checkPacking(const CsrView &a, const Plan &plan, const Problem &problem,
                          unsigned seed) {
  const Format &format = *findFormat(plan.format);
  HostWorkspace workspace(a, seed);
  auto host = format.layout(a, plan, problem);
  auto device = format.layoutOn(workspace, plan, problem);
  if (device && !*device) {
    llvm::consumeError(host.takeError());
    return Packs::host;
  }
  CHECK(refusalOf(device) == refusalOf(host));
  if (!device || !host)
    return Packs::nobody;
  const std::string difference = firstDifference(*host, **device, workspace);
  CHECK_MESSAGE(difference.empty(), difference);
  const std::string inPlace = differenceInPlace(a, plan, problem, *host, seed);
  CHECK_MESSAGE(inPlace.empty(), inPlace);
  const std::string lent = differenceIfLent(a, plan, problem, *host, seed);
  CHECK_MESSAGE(lent.empty(), lent);
  const std::string wrong = wrongSlots(a, plan, problem, *host, seed);
  CHECK_MESSAGE(wrong.empty(), wrong);
  return Packs::device;
}

inline Packs checkPacking(const TestMatrix &a, const Plan &plan, const Problem &problem,
                          IndexType csrIndex, unsigned seed) {
  const std::string text = nameOf(problem.type) + std::string(" ") + plan.text();
  INFO(a.name, ", ", text, ", seed ", seed);
  return withView(a, problem.type, integerValues(a), [&](const CsrView &given) {
    return withIndices(given, csrIndex, [&](const CsrView &view) {
      return checkPacking(view, plan, problem, seed);
    });
  });
}

} // namespace specmv::simt
