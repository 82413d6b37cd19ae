// Tests of how the host executor runs steps: streams are ordered only by what steps wait for, and
// copies and host functions see the arrays that they name. Also tests that every wait of a format
// is needed: without its waits, the executor finds a wrong product.
#include "tests/simt/run.h"

#include <doctest/doctest.h>

#include <numeric>
#include <set>

using namespace specmv;
using namespace specmv::simt;

namespace {

// The records of the host functions below, in order.
std::vector<std::string> said;

void sayUser(llvm::ArrayRef<HostArray> /*arguments*/) noexcept { said.emplace_back("user"); }
void saySide(llvm::ArrayRef<HostArray> /*arguments*/) noexcept { said.emplace_back("side"); }

// Adds the numbers 1, 2 .. of `numbers` to the running sums.
void accumulate(llvm::ArrayRef<HostArray> arguments) noexcept {
  const HostArray &numbers = arguments[0], &sums = arguments[1];
  for (int64_t i = 0; i < numbers.count; ++i)
    sums.as<double>()[i] += numbers.as<int32_t>()[i];
}
void saySums(llvm::ArrayRef<HostArray> arguments) noexcept {
  const double *sums = arguments[0].as<double>();
  said.push_back(std::to_string(std::accumulate(sums, sums + arguments[0].count, 0.0)));
}

Layout smallLayout() {
  Layout layout;
  layout.addScratch("device", ElementType::f64, 3);
  layout.addHostArray("numbers", ElementType::i32, 3);
  layout.addHostScratch("sums", ElementType::f64, 3);
  layout.addHostScratch("back", ElementType::f64, 3);
  layout.addHostScratch("short", ElementType::f64, 2);
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

const Step kUser{HostFunction{"user", sayUser, {}}};
const Step kSide{HostFunction{"side", saySide, {}}, StepStream::side};
using Said = std::vector<std::string>;

} // namespace

TEST_CASE("either stream may be ahead where no step waits for the other's") {
  CHECK(run({kUser, kSide, kUser, kSide}, 0) == "");
  CHECK(said == Said{"user", "user", "side", "side"});
  CHECK(run({kUser, kSide, kUser, kSide}, 1) == "");
  CHECK(said == Said{"side", "side", "user", "user"});
}

TEST_CASE("a step that waits for another comes behind it whatever stream is ahead") {
  Step side = kSide, last = kUser;
  side.after = {0};
  last.after = {1};
  for (unsigned seed : {0U, 1U}) {
    CHECK(run({kUser, side, last}, seed) == "");
    CHECK(said == Said{"user", "side", "user"});
  }
}

TEST_CASE("steps that wait for one another are found") {
  Step side = kSide, user = kUser;
  user.after = {1};
  side.after = {0};
  CHECK(run({user, side}, 0) != "");
  CHECK(said.empty());
}

TEST_CASE("copies go the way that they say, and host functions see the arrays that they name") {
  using Direction = Copy::Direction;
  const Steps steps = {{HostFunction{"accumulate", accumulate, {"numbers", "sums"}}},
                       {Copy{Direction::toDevice, "device", "sums"}},
                       {HostFunction{"accumulate", accumulate, {"numbers", "sums"}}},
                       {Copy{Direction::toHost, "device", "back"}},
                       {HostFunction{"say", saySums, {"back"}}},
                       {HostFunction{"say", saySums, {"sums"}}}};
  CHECK(run(steps, 0) == "");
  CHECK(said == Said{std::to_string(6.0), std::to_string(12.0)});
}

TEST_CASE("what names no array, differs in size or needs a library is a finding") {
  using Direction = Copy::Direction;
  for (const Step &step :
       {Step{Copy{Direction::toHost, "device", "nosuch"}},
        Step{Copy{Direction::toHost, "sums", "back"}},
        Step{Copy{Direction::toDevice, "device", "short"}},
        Step{HostFunction{"say", saySums, {"device"}}}, Step{LibraryCall{"cusparse-csr"}}})
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
      for (size_t w = 0; w < steps[i].after.size(); ++w) {
        Steps fewer = steps;
        fewer[i].after.erase(fewer[i].after.begin() + static_cast<std::ptrdiff_t>(w));
        CHECK((multiply(fewer, 0) != right || multiply(fewer, 1) != right));
      }
  }
  CHECK(seen.count("hcghyb") == 1);
}
