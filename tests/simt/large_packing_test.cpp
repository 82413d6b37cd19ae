// Packs large matrices on the host executor for their own plans and those of others, and compares
// with the host's packing: the same bytes, or the same refusal. SPECMV_SIMT_SHARD=i/n takes each
// n-th plan.
#include "tests/simt/packings.h"
#include "tests/simt/run.h"
#include "tests/simt/shard.h"

using namespace specmv;
using namespace specmv::simt;

namespace {

// Calls f with the matrix and its values in the types of the case.
template <class F> void withIndices(const TestMatrix &a, const PackingCase &test, F &&f) {
  const std::vector<int64_t> rowPtr(a.rowPtr.begin(), a.rowPtr.end()),
      col(a.col.begin(), a.col.end());
  withView(a, test.problem.type, integerValues(a), [&](CsrView view) {
    if (test.csrIndex == IndexType::i64) {
      view.indexType = IndexType::i64;
      view.rowPtr = rowPtr.data();
      view.col = col.data();
    }
    f(view);
  });
}

std::string refusalOf(llvm::Error error) {
  const auto [status, sentence] = describe(std::move(error));
  return std::to_string(static_cast<int>(status)) + ": " + sentence;
}

// What the device made: "" if it is what the host makes.
std::string difference(const PackingCase &test, const CsrView &view, unsigned seed) {
  HostWorkspace workspace(view, seed);
  auto host = test.format->layout(view, test.plan, test.problem);
  auto device = test.format->layoutOn(workspace, test.plan, test.problem);
  if (device && !*device)
    return host ? "" : (llvm::consumeError(host.takeError()), "");
  if (host && device)
    return firstDifference(*host, **device, workspace);
  const std::string onHost = host ? "no refusal" : refusalOf(host.takeError());
  const std::string onDevice = device ? "no refusal" : refusalOf(device.takeError());
  return onHost == onDevice ? "" : onDevice + " instead of " + onHost;
}

} // namespace

TEST_SUITE("products") {
  TEST_CASE("a GPU packs large matrices as the host does, and refuses them in the same words") {
    const std::vector<TestMatrix> matrices = largeMatrices();
    const std::vector<PackingCase> tests = packingCases(matrices);
    const auto [index, count] = shard();
    for (size_t i = index; i < tests.size(); i += count)
      for (const TestMatrix &a : matrices) {
        if (a.rows > tests[i].rows)
          continue;
        const std::string plan = tests[i].plan.text();
        CAPTURE(plan);
        CAPTURE(a.name);
        withIndices(a, tests[i], [&](const CsrView &view) {
          const std::string seen = difference(tests[i], view, static_cast<unsigned>(i % 3));
          CHECK_MESSAGE(seen.empty(), seen);
        });
      }
  }

} // TEST_SUITE
