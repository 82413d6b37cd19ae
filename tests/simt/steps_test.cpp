// Tests of how the host executor runs steps: a detour over the host runs at any time until a step
// waits for it, and its function sees the arrays that it names. Also tests that every wait of a
// format is needed: without its waits, the executor finds a wrong product.
#include "tests/simt/run.h"

#include <doctest/doctest.h>

#include <numeric>
#include <set>

using namespace specmv;
using namespace specmv::simt;

namespace {

// The first number that each call of the function below saw.
std::vector<std::string> said;

// Makes each element of `to` the one of `from`, plus the number of the table, plus 1.
void addNumbers(const HostArray &table, const HostArray &from, const HostArray &to) noexcept {
  said.push_back(std::to_string(from.as<double>()[0]));
  for (int64_t i = 0; i < to.count; ++i)
    to.as<double>()[i] = from.as<double>()[i] + table.as<int32_t>()[i] + 1;
}

Layout smallLayout() {
  Layout layout;
  layout.addScratch("from", ElementType::f64, 3);
  layout.addScratch("to", ElementType::f64, 3);
  layout.add("numbers", ElementType::i32, 3);
  layout.arrays.back().staysOnHost = true;
  std::iota(layout.find("numbers")->as<int32_t>(), layout.find("numbers")->as<int32_t>() + 3, 1);
  return layout;
}

// Returns the finding of a run with this seed.
std::string run(const Steps &steps, unsigned seed) {
  said.clear();
  Loaded loaded(smallLayout(), 0, 0, Problem{});
  Product product;
  return loaded.multiply(steps, 0, product, seed);
}

Step detour(const char *from, const char *to, bool waits = false) {
  return {HostDetour{"addNumbers", addNumbers, "numbers", from, to}, waits};
}
using Said = std::vector<std::string>;

} // namespace

TEST_CASE("a step that waits sees what the detour in front of it made") {
  // The second detour reads what the first one made, if the first one has run.
  const Steps waits = {detour("from", "to"), detour("to", "from", true)};
  for (unsigned seed : {0U, 1U}) {
    CHECK(run(waits, seed) == "");
    CHECK(said == Said{std::to_string(0.0), std::to_string(2.0)});
  }
}

TEST_CASE("the steps behind a detour come before it or after it, unless they wait") {
  const Step stops{LibraryCall{"cusparse-csr"}}, waits{LibraryCall{"cusparse-csr"}, true};
  CHECK(run({detour("from", "to"), stops}, 0) != "");
  CHECK(said.empty()); // the host was late
  CHECK(run({detour("from", "to"), stops}, 1) != "");
  CHECK(said.size() == 1);
  for (unsigned seed : {0U, 1U}) {
    CHECK(run({detour("from", "to"), waits}, seed) != "");
    CHECK(said.size() == 1);
  }
}

TEST_CASE("a detour that names no array is a finding, and so is a call of a library") {
  for (const Step &step :
       {detour("nosuch", "to"), detour("from", "nosuch"), detour("numbers", "to"),
        Step{HostDetour{"addNumbers", addNumbers, "from", "from", "to"}},
        Step{LibraryCall{"cusparse-csr"}}})
    CHECK(run({step}, 0) != "");
  CHECK(said.empty());
}

TEST_CASE("every step that waits for another has to: without it some order gives a wrong product") {
  const std::vector<TestMatrix> matrices = caseMatrices();
  std::set<std::string> seen;
  for (const TestCase &test : testCases(matrices)) {
    if (test.format->library || test.matrix->name != "a few long rows" ||
        !seen.insert(test.format->name).second)
      continue;
    INFO(test.name());
    const Layout layout = llvm::cantFail(layoutOf(test));
    const Steps steps = test.format->steps(test.plan.plan, test.problem, layout);
    const std::vector<double> x = integers(vectorX, test.matrix->cols);
    const auto multiply = [&](const Steps &some, unsigned seed) {
      Loaded loaded(layout, test.matrix->rows, test.matrix->cols, test.problem);
      Product product{1, 0, x, std::vector<double>(static_cast<size_t>(test.matrix->rows))};
      CHECK(loaded.multiply(some, hashOf(test.source), product, seed) == "");
      return product.y;
    };
    const std::vector<double> right = multiply(steps, 0);
    CHECK(multiply(steps, 1) == right);
    for (size_t i = 0; i < steps.size(); ++i)
      if (steps[i].waitsForHost) {
        Steps fewer = steps;
        fewer[i].waitsForHost = false;
        CHECK((multiply(fewer, 0) != right || multiply(fewer, 1) != right));
      }
  }
  CHECK(seen.count("hcghyb") == 1);
}
