// Implements the table of rows that several blocks share.
#include "generator/shared/open_rows.h"

#include "generator/emit.h"

namespace specmv {

void addOpenRows(Layout &out, const Problem &problem, const std::vector<int64_t> &openRow) {
  const auto boundaries = static_cast<int64_t>(openRow.size());
  out.add("openFirst", ElementType::u32, boundaries);
  out.add("openLast", ElementType::u32, boundaries);
  auto *first = out.find("openFirst")->as<uint32_t>(), *last = out.find("openLast")->as<uint32_t>();
  for (int64_t begin = 0, end = 0; begin < boundaries; begin = end) {
    // Of a row: boundaries begin .. end - 1, between blocks begin - 1 .. end - 1.
    end = begin + 1;
    while (openRow[begin] != kNoRow && end < boundaries && openRow[end] == openRow[begin])
      ++end;
    const int64_t firstBlock = openRow[begin] == kNoRow ? begin : begin - 1;
    const int64_t lastBlock = openRow[begin] == kNoRow ? begin : end - 1;
    std::fill(first + begin, first + end, static_cast<uint32_t>(firstBlock));
    std::fill(last + begin, last + end, static_cast<uint32_t>(lastBlock));
  }
  const bool isNarrow = problem.type == ValueType::f32;
  out.addScratch("partialSums", isNarrow ? ElementType::u32 : ElementType::u64,
                 2 * (boundaries - 1));
  out.addScratch("arrivals", ElementType::u32, boundaries - 1);
}

void addOpenRowArguments(std::vector<Argument> &out, const Problem &problem) {
  const bool isNarrow = problem.type == ValueType::f32;
  out.insert(out.end(),
             {{"openFirst", Binding::array, ElementType::u32},
              {"openLast", Binding::array, ElementType::u32},
              {"partialSums", Binding::scratch, isNarrow ? ElementType::u32 : ElementType::u64},
              {"arrivals", Binding::scratch, ElementType::u32}});
}

// An estimate: two atomics one after the other, each a way to L2 and back. A row of more than two
// blocks waits once more, for the slowest of many (0.5 to 1 us with rows of 1,110 to 7,754 entries,
// tests/bench/results/2026-11-21-h200.jsonl).
constexpr int64_t kMeetingChain = 8;
// Shares that a warp takes at once (kCollectedTogether of each lane).
constexpr int64_t kSharesTaken = 32 * 8;

int64_t openRowChain(int64_t length, int64_t share) {
  return kMeetingChain * (ceilDiv(ceilDiv(length, share), kSharesTaken) + (length > share));
}

} // namespace specmv
