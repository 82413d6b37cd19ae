// A request: the problem, what the caller prescribes of the plan, and how the plan is chosen.
#pragma once

#include "generator/format.h"

#include <string>
#include <vector>

namespace specmv {

enum class Rigor {
  estimate,   // the plan with the least predicted time
  measure,    // measures the best predicted plan of each format and the best few of all plans
  exhaustive, // measures all plans
};

struct Request {
  Problem problem;
  Rigor rigor = Rigor::estimate;
  std::vector<std::string> formats; // empty: all
  Fixed fixed;
};

} // namespace specmv
