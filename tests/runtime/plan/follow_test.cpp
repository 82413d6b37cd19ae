// Tests which earlier choices suffice for which request: one that was only predicted does not
// suffice to measure, whatever else is known of it.
#include "runtime/plan/recall.h"

#include <doctest/doctest.h>

#include <string>

using namespace specmv;

namespace {

constexpr const char *kFollowed = "ell ell.width=3 block=256 offset=32 column=32";

// The rigors, by a letter each, for which the choice is followed.
std::string followedFor(const Wisdom &known, const Problem &problem = {}) {
  std::string out;
  for (const auto &[rigor, letter] : {std::pair(Rigor::estimate, 'e'),
                                      {Rigor::trial, 't'},
                                      {Rigor::online, 'o'},
                                      {Rigor::measure, 'm'},
                                      {Rigor::exhaustive, 'x'}})
    if (const auto plan = planToFollow(known, problem, rigor)) {
      CHECK(plan->text() == known.plan);
      out += letter;
    }
  return out;
}

} // namespace

TEST_CASE("an earlier choice is followed by requests that want no better foundation") {
  CHECK(followedFor({.plan = kFollowed, .chosen = Chosen::predicted}) == "e");
  CHECK(followedFor({.plan = kFollowed, .chosen = Chosen::tried, .measuredUs = 3}) == "eto");
  CHECK(followedFor({.plan = kFollowed, .chosen = Chosen::measured, .measuredUs = 3}) == "etomx");
}

TEST_CASE("a choice that no plan can be made of is followed by nobody") {
  for (const char *plan : {"", "ell", "jagged ell.width=3", "ell ell.width=3 block=7"}) {
    CAPTURE(std::string(plan));
    CHECK(followedFor({.plan = plan, .chosen = Chosen::measured, .measuredUs = 3}).empty());
  }
}
