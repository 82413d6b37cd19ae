// The plans of the standard pack. The formats list their patterns, which cover kinds and are fitted
// to no matrices: a plan that is offered for 32-bit indices and plain values has its kernel there,
// or a general one that adds in the same order (Format::general). Plans for 64-bit columns are
// those with which a program starts at once (InPlace). The paper's QCSR, csr5-hot beyond 64 batches
// of a lane, and formats that are never the best are left out. tests/bench/README.md, "A pack for
// kinds", has the figures. For problems with other vectors there are a few plans.
#include "runtime/pregen/standard.h"

#include "generator/format.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace specmv {

// The types of indices, unless the pattern has them.
static const char *indexTypesAfter(llvm::StringRef numbers) {
  return numbers.contains(" offset=") ? "" : " offset=32 column=32";
}

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

static void addPlans(llvm::ArrayRef<PlanPattern> patterns, std::vector<Plan> &plans) {
  for (const PlanPattern &pattern : patterns)
    for (const std::string &numbers : alternatives(pattern.numbers))
      if (auto plan = parsePlan(numbers + indexTypesAfter(numbers) + pattern.lists))
        plans.push_back(std::move(*plan)); // a test parses them all
}

std::vector<Plan> standardPlans() {
  std::vector<Plan> plans;
  for (const Format &format : formats())
    addPlans(format.standard, plans);
  return plans;
}

std::vector<Plan> plansOfOtherProblems() {
  std::vector<Plan> plans;
  for (const Format &format : formats())
    addPlans(format.standardOfOthers, plans);
  return plans;
}

std::vector<Problem> otherProblems(ValueType type) {
  std::vector<Problem> out;
  for (const int vectors : {2, 4, 8}) {
    out.push_back({.type = type});
    out.back().vectors = vectors;
  }
  if (type == ValueType::f32) {
    out.push_back({.type = type});
    out.back().vectorsAreDouble = true;
  }
  return out;
}

} // namespace specmv
