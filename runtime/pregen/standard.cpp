// The plans of the standard pack. The formats list their patterns. To choose them, we counted which
// plans tie with the best one, and weighed this against the bytes of each kernel and of the kernels
// that pack for it. The matrices were the real ones of the bench, its suite, and 2,000 of
// tests/bench/random_specs.py, with the H200's model. tests/bench/README.md has the matrices that
// they cover. Plans that few matrices have, such as those with the diagonals of a grid, are in no
// list. The pack of the installation is for one vector. With kernels for 2, 4, 8 and 16 vectors
// (f32 and f64, sm_90), it would grow from 5.4 to 16.6 MB and take 165 s instead of 50 s.
#include "runtime/pregen/standard.h"

#include "generator/format.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace specmv {

constexpr const char *kIndexTypes = " offset=32 column=32";

// Expands "1,4,8..10".
static std::vector<std::string> valuesOf(llvm::StringRef list) {
  std::vector<std::string> out;
  llvm::SmallVector<llvm::StringRef, 8> parts;
  list.split(parts, ',');
  for (llvm::StringRef part : parts) {
    const auto [from, to] = part.split("..");
    unsigned first = 0, last = 0;
    if (to.empty() || from.getAsInteger(10, first) || to.getAsInteger(10, last))
      out.push_back(part.str());
    else
      for (unsigned value = first; value <= last; ++value)
        out.push_back(std::to_string(value));
  }
  return out;
}

std::vector<std::string> alternatives(const std::string &pattern) {
  const auto [before, open] = llvm::StringRef(pattern).split('{');
  if (before.size() == pattern.size())
    return {pattern};
  const auto [list, after] = open.split('}');
  std::vector<std::string> out;
  for (const std::string &value : valuesOf(list))
    for (const std::string &rest : alternatives(after.str()))
      out.push_back(before.str() + value + rest);
  return out;
}

std::vector<Plan> standardPlans() {
  std::vector<Plan> plans;
  for (const Format &format : formats())
    for (const PlanPattern &pattern : format.standard)
      for (const std::string &numbers : alternatives(pattern.numbers))
        if (auto plan = parsePlan(numbers + kIndexTypes + pattern.lists)) // a test parses them all
          plans.push_back(std::move(*plan));
  return plans;
}

} // namespace specmv
