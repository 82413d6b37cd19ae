// Multiplies with plans that plans() did not make: every plan that layout() accepts must give the
// right product, whatever its numbers claim about the matrix.
#include "tests/simt/foreign_plans.h"
#include "tests/simt/reference.h"
#include "tests/simt/run.h"

#include <set>

using namespace specmv;
using namespace specmv::simt;

TEST_CASE("a plan that nothing offered multiplies rightly wherever it is taken") {
  const std::vector<TestMatrix> matrices = foreignMatrices();
  const std::vector<TestCase> tests = foreignCases(matrices);
  std::set<std::string> formatsSeen;
  for (const TestCase &test : tests) {
    INFO(test.name());
    std::optional<Layout> layout = checkedLayout(test);
    if (!layout)
      continue;
    Run run(test, std::move(*layout));
    const std::vector<double> x = integers(vectorX, run.a.cols), y = integers(vectorY, run.a.rows);
    const Reference expected = reference(run.a, run.own, 2, x, -3, y, run.type);
    const std::vector<double> got = run.multiply(2, -3, x, y, 1);
    for (size_t i = 0; i < got.size(); ++i)
      CHECK_MESSAGE(static_cast<long double>(got[i]) == expected.y[i], "row ", i);
    formatsSeen.insert(test.format->name);
  }
  MESSAGE(tests.size(), " foreign plans of ", formatsSeen.size(), " formats");
  for (const Format &format : formats())
    CHECK_MESSAGE((format.library != nullptr || formatsSeen.count(format.name) == 1),
                  std::string(format.name), " was not seen");
}
