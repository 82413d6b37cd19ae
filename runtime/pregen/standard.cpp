// The plans of the standard pack. The formats list their patterns, which cover kinds and are fitted
// to no matrices: a plan that is offered for 32-bit indices and plain values has its kernel there,
// or a general one that adds in the same order (Format::general). The paper's QCSR, csr5-hot beyond
// 64 batches of a lane, and formats that are never the best are left out. tests/bench/README.md, "A
// pack for kinds", has the figures. The pack of the installation is for one vector.
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
