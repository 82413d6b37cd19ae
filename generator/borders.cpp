// Counts the blocks that share a row, from the rows that are open at their borders.
#include "generator/borders.h"

namespace specmv {

void addBorders(Layout &out, ElementType value, const std::vector<int64_t> &open) {
  const auto blocks = static_cast<int64_t>(open.size());
  out.add("blocksBefore", ElementType::i32, blocks);
  out.add("blocksAfter", ElementType::i32, blocks);
  out.addScratch("borderSum", value, blocks);
  auto *before = out.find("blocksBefore")->as<int32_t>();
  auto *after = out.find("blocksAfter")->as<int32_t>();
  for (int64_t b = 1; b < blocks; ++b)
    if (open[b] >= 0)
      before[b] = open[b] == open[b - 1] ? before[b - 1] + 1 : 1;
  for (int64_t b = blocks - 1; b > 0; --b)
    if (open[b] >= 0)
      after[b - 1] = b + 1 < blocks && open[b] == open[b + 1] ? after[b] + 1 : 1;
}

std::vector<Argument> borderArguments(ElementType value) {
  return {{"blocksBefore", Binding::array, ElementType::i32},
          {"blocksAfter", Binding::array, ElementType::i32},
          {"borderSum", Binding::scratch, value}};
}

} // namespace specmv
