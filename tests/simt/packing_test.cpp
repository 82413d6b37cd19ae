// Packs every case whose format can be packed on a GPU on the host executor, and compares each
// array with the host's packing, byte by byte. SPECMV_SIMT_SHARD=i/n takes each n-th case.
#include "generator/setup/packing.h"
#include "tests/simt/run.h"
#include "tests/simt/shard.h"
#include "tests/simt/workspace.h"

#include <cstring>

using namespace specmv;
using namespace specmv::simt;

namespace {

// The first array in which two layouts differ; empty if there is none.
std::string firstDifference(const Layout &host, const Layout &device,
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

// False if the format gives the case to the host.
bool check(const TestCase &test, unsigned seed) {
  INFO(test.name(), ", seed ", seed);
  std::optional<Layout> host = checkedLayout(test);
  if (!host)
    return true;
  const std::vector<double> entries = integerValues(*test.matrix);
  return withView(*test.matrix, test.problem.type, entries, [&](const CsrView &view) {
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
  });
}

} // namespace

TEST_SUITE("products") {
  TEST_CASE("what a GPU packs equals what the host packs") {
    const std::vector<TestMatrix> matrices = caseMatrices();
    const std::vector<TestCase> tests = testCases(matrices);
    const auto [index, count] = shard();
    std::map<std::string, std::pair<size_t, size_t>> tried; // on the device, left to the host
    for (size_t i = index; i < tests.size(); i += count)
      if (tests[i].format->packing) {
        auto &[device, host] = tried[tests[i].format->name];
        ++(check(tests[i], static_cast<unsigned>(i % 3)) ? device : host);
      }
    for (const auto &[name, cases] : tried)
      MESSAGE(name, ": ", cases.first, " cases, and ", cases.second, " left to the host");
  }

} // TEST_SUITE
