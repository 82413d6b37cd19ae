// Statics that outlive work on other threads: the work is ended first, and a forked process leaves
// them alone.
#include "models/base/lasting.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

using namespace specmv;

namespace {

std::string said;

struct Speaker {
  std::string word = "made ";
  Speaker() { said += word; }
  ~Speaker() { said += "destroyed"; }
};

// What is said in the life of a Lasting at whose end this is called.
std::string storyWith(EndWork end) {
  said.clear();
  endWork = end;
  {
    const Lasting<Speaker> speaker;
    said += speaker->word == (*speaker).word ? "used " : "";
  }
  endWork = nullptr;
  return said;
}

bool endsIt() {
  said += "ended ";
  return true;
}

bool hasNone() {
  said += "forked";
  return false;
}

} // namespace

TEST_CASE("a static is destroyed after the work that may use it has ended") {
  CHECK(storyWith(nullptr) == "made used destroyed");
  CHECK(storyWith(endsIt) == "made used ended destroyed");
}

TEST_CASE("a process that has none of the threads does not destroy what they may have changed") {
  CHECK(storyWith(hasNone) == "made used forked");
}

TEST_CASE("a static has the value that it is given") {
  auto number = std::make_unique<int>(7);
  Lasting<std::unique_ptr<int>> kept(std::move(number));
  ++**kept;
  CHECK(**kept == 8);
  CHECK(*Lasting<int>() == 0);
}
