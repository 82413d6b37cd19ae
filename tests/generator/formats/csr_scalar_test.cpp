// Tests of CSR-scalar: it is CSR-vector's kernel with one lane, and is offered under one name only.
#include "tests/generator/edge_matrices.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

// Returns the source without its first line, which names the format.
std::string kernelText(const std::string &source) { return source.substr(source.find('\n')); }

} // namespace

TEST_CASE("CSR-scalar is CSR-vector with one lane a row, at a pace of its own") {
  const Fixed one{{"csr.lanes", 1}};
  for (const CsrMatrix &a : edgeMatrices())
    for (ValueType type : kTypes) {
      CAPTURE(a.name);
      const Problem problem{type};
      const SparsityProfile seen = profile(a.view());
      const auto both =
          llvm::cantFail(offers({seen, problem, h200(), one}, {"csr-scalar", "csr-vector"}));
      REQUIRE(both[0].plans.size() == 1);
      REQUIRE(both[1].plans.size() == 1);
      const Plan &scalar = both[0].plans[0], &vector = both[1].plans[0];
      CHECK(scalar.text() == "csr-scalar block=256 offset=32 column=32");
      const Traffic own = trafficOf(seen, scalar, problem),
                    other = trafficOf(seen, vector, problem);
      CHECK(own.storedBytes == other.storedBytes);
      CHECK(own.streamBytes == other.streamBytes);
      CHECK(own.steps == other.steps);
      CHECK(own.longRows == other.longRows);
      CHECK(kernelText(both[0].format->source(scalar, problem).text) ==
            kernelText(both[1].format->source(vector, problem).text));
      const Valued valued(a.view(), type, 1);
      const Layout mine = llvm::cantFail(both[0].format->layout(valued.view(), scalar, problem));
      const Layout theirs = llvm::cantFail(both[1].format->layout(valued.view(), vector, problem));
      CHECK(mine.storedBytes() == theirs.storedBytes());
      const Steps steps = both[0].format->steps(scalar, problem, mine);
      REQUIRE(steps.size() == (a.rows > 0 ? 1 : 0));
      if (a.rows > 0)
        CHECK(std::get<Launch>(steps[0].action).grid[0] ==
              static_cast<uint32_t>((a.rows + 255) / 256));
    }
}

TEST_CASE("one lane a row is offered once: by CSR-vector only where it is asked for") {
  for (const CsrMatrix &a : edgeMatrices())
    for (const auto &[format, plan] : plansOf(a.view(), {}, {{}}))
      CHECK((std::string(format->name) != "csr-vector" || plan.get(key::kCsrLanes) > 1));
}
