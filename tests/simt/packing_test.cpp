// Packs every case whose format can be packed on a GPU on the host executor, and compares each
// array with the host's packing, byte by byte. SPECMV_SIMT_SHARD=i/n takes each n-th case.
#include "tests/simt/packing_testing.h"
#include "tests/simt/shard.h"

using namespace specmv;
using namespace specmv::simt;

TEST_SUITE("products") {
  TEST_CASE("what a GPU packs equals what the host packs") {
    const std::vector<TestMatrix> matrices = caseMatrices();
    const std::vector<TestCase> tests = testCases(matrices);
    const auto [index, count] = shard();
    std::map<std::string, std::pair<size_t, size_t>> tried; // on the device, left to the host
    for (size_t i = index; i < tests.size(); i += count)
      if (tests[i].format->packing) {
        auto &[device, host] = tried[tests[i].format->name];
        ++(checkPacking(tests[i], static_cast<unsigned>(i % 3)) ? device : host);
      }
    for (const auto &[name, cases] : tried)
      MESSAGE(name, ": ", cases.first, " cases, and ", cases.second, " left to the host");
  }

} // TEST_SUITE
