// Shortens the lists in a plan's text, which identifies the plan and names every diagonal of DIA.
#include "runtime/cli/plan_text.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv::cli {

// Lists of up to kMostShown numbers are shown whole, longer ones by their first numbers and their
// last.
constexpr size_t kMostShown = 8, kFirstShown = 3;

static std::string shortList(llvm::StringRef list) {
  llvm::SmallVector<llvm::StringRef, 16> numbers;
  list.split(numbers, ',');
  if (numbers.size() <= kMostShown)
    return list.str();
  return llvm::formatv(
      "{0},... {1} more ...,{2}",
      llvm::join(llvm::ArrayRef<llvm::StringRef>(numbers).take_front(kFirstShown), ","),
      numbers.size() - kFirstShown - 1, numbers.back());
}

std::string planText(const std::string &text) {
  std::string out;
  for (llvm::StringRef rest = text; !rest.empty();) {
    const auto [before, behind] = rest.split('[');
    out += before;
    if (before.size() == rest.size())
      break;
    const auto [list, after] = behind.split(']');
    out += "[" + shortList(list) + "]";
    rest = after;
  }
  return out;
}

std::string vectorsText(int64_t vectors) {
  return vectors == 1 ? "" : ", " + std::to_string(vectors) + " vectors";
}

std::string planText(const Plan &plan) { return planText(plan.text()); }

} // namespace specmv::cli
