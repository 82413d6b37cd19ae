// Tests of the limit of what a plan may store.
#include "runtime/candidates.h"

#include "models/families/families.h"
#include "tests/runtime/host_machine.h"

#include <doctest/doctest.h>

#include <set>

using namespace specmv;

TEST_CASE("plans that store more than the limit are no candidates") {
  const CsrMatrix a = llvm::cantFail(generateFamily("fem2d:rows=3000"));
  const Machine machine = specmv::testing::hostMachine("");
  const SparsityProfile seen = profile(a.view());
  Request request;
  request.formats = {"csr-vector", "ell"};
  const auto formatsWithin = [&](int64_t bytes) {
    request.maxBytes = bytes;
    std::set<std::string> out;
    for (const Candidate &each : llvm::cantFail(rankPlans(request, seen, machine)).candidates) {
      CHECK((bytes == 0 || each.traffic.storedBytes <= bytes));
      out.insert(each.plan.format);
    }
    return out;
  };
  CHECK(formatsWithin(0).size() == 2);
  CHECK(formatsWithin(12 * a.nnz() + 4 * 3001) == std::set<std::string>{"csr-vector"});
  request.maxBytes = 100;
  auto none = rankPlans(request, seen, machine);
  REQUIRE_FALSE(static_cast<bool>(none));
  const auto [status, sentence] = describe(none.takeError());
  CHECK(status == Status::missing);
  CHECK(sentence.find("the plan that stores least, csr-vector, needs ") == 0);
  CHECK(sentence.find("more than the limit, 100") != std::string::npos);
}
