// Packs every case whose format can be packed on a GPU on the host executor, and compares each
// array with the host's packing, byte by byte. SPECMV_SHARD=i/n takes every n-th case.
#include "tests/shard.h"
#include "tests/simt/edge_cases.h"
#include "tests/simt/packing_testing.h"

#include <map>
#include <set>
#include <tuple>

using namespace specmv;
using namespace specmv::simt;

TEST_SUITE("products") {
  TEST_CASE("what a GPU packs equals what the host packs") {
    const std::vector<TestMatrix> matrices = caseMatrices();
    const std::vector<TestCase> tests = testCases(matrices);
    const auto [index, count] = specmv::testing::shard();
    std::map<std::string, std::pair<size_t, size_t>> tried; // on the device, left to the host
    // Packing does not depend on what a product does with x and y.
    std::set<std::tuple<const TestMatrix *, ValueType, std::string>> packed;
    for (size_t i = index; i < tests.size(); i += count) {
      const TestCase &test = tests[i];
      if (!test.format->packing ||
          !packed.emplace(test.matrix, test.problem.type, test.plan.plan.text()).second)
        continue;
      const Packs seen = checkPacking(*test.matrix, test.plan.plan, test.problem, IndexType::i32,
                                      static_cast<unsigned>(i % 3));
      CHECK_MESSAGE(seen != Packs::nobody, "refused what plans() offers: ", test.name());
      auto &[device, host] = tried[test.format->name];
      ++(seen == Packs::host ? host : device);
    }
    for (const auto &[name, cases] : tried)
      MESSAGE(name, ": ", cases.first, " cases, and ", cases.second, " left to the host");
  }

  TEST_CASE("the same holds where a block goes on to the next piece of a matrix") {
    const std::vector<TestMatrix> matrices = edgeMatrices();
    const std::vector<TestCase> tests = edgeCases(matrices);
    const auto [index, count] = specmv::testing::shard();
    for (size_t i = index; i < tests.size(); i += count)
      CHECK_MESSAGE(checkPacking(*tests[i].matrix, tests[i].plan.plan, tests[i].problem,
                                 IndexType::i32, static_cast<unsigned>(i % 3)) == Packs::device,
                    tests[i].name());
  }

  TEST_CASE("a GPU packs large matrices as the host does, and refuses them in the same words") {
    const std::vector<TestMatrix> matrices = largeMatrices();
    const std::vector<PackingCase> tests = packingCases(matrices);
    const auto [index, count] = specmv::testing::shard();
    for (size_t i = index; i < tests.size(); i += count)
      for (size_t m = 0; m < matrices.size(); ++m)
        // Matrices for their own plans, and half of the plans of others.
        if (const TestMatrix &a = matrices[m];
            a.rows == tests[i].rows || (a.rows < tests[i].rows && (i / count + m) % 2 == 0))
          checkPacking(a, tests[i].plan, tests[i].problem, tests[i].csrIndex,
                       static_cast<unsigned>(i % 3));
  }

} // TEST_SUITE
