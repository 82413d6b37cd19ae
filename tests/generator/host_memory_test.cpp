// Tests that packing on the host looks at the memory before it takes it: plans that come from
// elsewhere may ask for any size.
#include "models/base/memory.h"
#include "tests/generator/formats/one_format.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

constexpr int64_t kAvailable = 1000000000;

// Plans that store far more than the matrix has, by the parameter that makes them large.
constexpr const char *kLargePlans[] = {
    "ell ell.width=2000000 block=256 offset=32 column=32",
    "ell ell.width=2000000 block=256 offset=32 column=32 order=bfs",
    "ell ell.width=2000000 block=256 offset=32 column=32 values=f32",
    "hyb hyb.k=2000000 block=256 tail=0 offset=32 column=32"};

} // namespace

TEST_CASE("a plan that the memory of the host does not hold is refused with the bytes") {
  const CsrMatrix a = matrixOf("even", 300, 300, [](int64_t i) { return run(i / 2, 5); });
  for (const char *text : kLargePlans) {
    CAPTURE(std::string(text));
    const auto plan = parsePlan(text);
    REQUIRE(plan);
    const PretendedMemory memory(kAvailable);
    auto layout = layoutOf(a, *plan);
    REQUIRE_FALSE(static_cast<bool>(layout));
    const auto why = describe(layout.takeError());
    CHECK(why.first == Status::hostMemory);
    CHECK_MESSAGE(why.second.find(std::string("packing '") + plan->format) == 0, why.second);
    CHECK_MESSAGE(why.second.find("but this machine has 1000000000 available; use another plan") !=
                      std::string::npos,
                  why.second);
  }
}

TEST_CASE("the memory that packing asks for is that of all arrays") {
  const CsrMatrix a = matrixOf("even", 300, 300, [](int64_t i) { return run(i / 2, 5); });
  // Each of the two arrays has at least 256 MiB, from which on the memory is looked at.
  const auto plan = parsePlan("ell ell.width=300000 block=256 offset=32 column=32");
  REQUIRE(plan);
  const int64_t slots = 320 * int64_t{300000}, bytes = slots * (4 + 8); // rows are padded to 32
  const auto statusWith = [&](int64_t available) {
    const PretendedMemory memory(available);
    auto layout = layoutOf(a, *plan);
    return layout ? Status::internal : describe(layout.takeError()).first;
  };
  CHECK(statusWith(bytes - 1) == Status::hostMemory);
  CHECK(statusWith(slots * 8) == Status::hostMemory);
}
