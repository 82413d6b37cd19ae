// Tests which plans a sweep times.
#include "runtime/lab/evaluate/measured.h"

#include <doctest/doctest.h>

using namespace specmv;

namespace {

std::vector<Candidate> candidates() {
  std::vector<Candidate> out;
  for (const char *text :
       {"bcsr full=1", "ell ell.width=3", "bcsr full=0", "bcsr full=2", "ell ell.width=4", "coo"})
    out.push_back({.plan = *parsePlan(text)});
  return out;
}

std::string textsOf(const PlansToTime &some) {
  std::string out;
  for (const Plan &plan : some.plans())
    out += (out.empty() ? "" : "; ") + plan.text();
  return out;
}

} // namespace

TEST_CASE("a sweep times the best plans of each format in the order of their predictions") {
  CHECK(textsOf({candidates(), 1}) == "bcsr full=1; ell ell.width=3; coo");
  CHECK(textsOf({candidates(), 2}) ==
        "bcsr full=1; ell ell.width=3; bcsr full=0; ell ell.width=4; coo");
  CHECK(textsOf({candidates(), 0}).size() == textsOf({candidates(), 9}).size());
  CHECK(textsOf({{}, 3}) == "");
}

// A former bug: a format was left when its first plans could not be made.
TEST_CASE("in place of a plan that cannot be made a sweep times the next of its format") {
  PlansToTime some(candidates(), 1);
  some.addOneMore("bcsr");
  CHECK(textsOf(some) == "bcsr full=1; ell ell.width=3; coo; bcsr full=0");
  some.addOneMore("bcsr");
  some.addOneMore("bcsr"); // there is none any more
  some.addOneMore("coo");
  CHECK(textsOf(some) == "bcsr full=1; ell ell.width=3; coo; bcsr full=0; bcsr full=2");
}
