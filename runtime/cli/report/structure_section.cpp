// Lists the structure that was found: diagonals, blocks, padding, symmetry and facts about values.
#include "runtime/cli/analyze/values.h"
#include "runtime/cli/report/html.h"
#include "runtime/cli/report/sections.h"
#include "runtime/cli/report/symmetry.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv::cli {

static std::string ratioText(Count part, Count whole) {
  return whole == 0
             ? "-"
             : llvm::formatv("{0:f2}", static_cast<double>(part) / static_cast<double>(whole))
                   .str();
}

static std::string diagonalsText(const Reported &r) {
  constexpr size_t kMostListed = 24;
  const auto &diagonals = r.profile().diagonals;
  std::string out = groupedCount(r.analysis.diagonals) + " of " +
                    groupedCount(std::max<Count>(0, r.profile().rows + r.profile().cols - 1)) +
                    " have entries";
  if (diagonals.empty() || diagonals.size() > kMostListed)
    return out;
  std::vector<std::string> texts;
  texts.reserve(diagonals.size());
  for (const DiagonalCount &d : diagonals)
    texts.push_back(llvm::formatv("{0} ({1} entries)", d.offset, groupedCount(d.entries)));
  return out + ": " + llvm::join(texts, ", ");
}

static std::string blocksText(const SparsityProfile &p) {
  std::vector<std::string> texts;
  for (const int side : {2, 3, 4, 6, 8})
    texts.push_back(llvm::formatv("{0} x {0} {1}", side,
                                  ratioText(p.blockFill.sampledEntries,
                                            p.blockFill.blocks[side - 1][side - 1] * side * side)));
  return "how full they are: " + llvm::join(texts, ", ") +
         (p.sampled ? " (a sample of " + groupedCount(p.blockFill.sampledEntries) + " entries)"
                    : "");
}

static std::string paddingText(const SparsityProfile &p) {
  constexpr Count kSlice = 32;
  std::vector<std::string> texts;
  for (const SliceCount &s : p.slices)
    if (s.slice == kSlice)
      texts.push_back(
          ratioText(s.padded, p.nnz) +
          (s.window == 1 ? " unsorted" : " sorted in " + groupedCount(s.window) + " rows"));
  return "slots for each entry: " + llvm::join(texts, ", ");
}

static std::string reachText(const SparsityProfile &p) {
  std::vector<std::string> texts;
  for (const SpanCount &s : p.spans)
    if (s.blockRows == 32 || s.blockRows == 4096)
      texts.push_back(llvm::formatv("{0} neighbouring rows span at most {1} columns",
                                    groupedCount(s.blockRows), groupedCount(s.longest)));
  return llvm::join(texts, "; ");
}

static std::string symmetryText(const CsrView &a) {
  if (a.rows != a.cols)
    return "none: the matrix is not square";
  const SymmetrySample sample = sampleSymmetry(a);
  if (sample.entries == 0)
    return "no entries off the diagonal";
  return llvm::formatv("of {0} entries off the diagonal{3}, {1} have an entry at the mirrored "
                       "place, {2} of them with the same value",
                       groupedCount(sample.entries), groupedCount(sample.mirrored),
                       groupedCount(sample.equal), sample.isAll ? "" : " in a sample");
}

std::string structureSection(const Reported &r) {
  const SparsityProfile &p = r.profile();
  const std::pair<const char *, std::string> facts[] = {
      {"Size", groupedCount(p.rows) + " x " + groupedCount(p.cols) + ", " + groupedCount(p.nnz) +
                   " entries, " + ratioText(p.nnz, p.rows) + " a row"},
      {"Matrix bandwidth", groupedCount(p.bandwidth)},
      {"Diagonals", diagonalsText(r)},
      {"Aligned blocks", blocksText(p)},
      {"Slices of 32 rows", paddingText(p)},
      {"Reach", reachText(p)},
      {"Symmetry", symmetryText(r.a.view)},
      {"Values", valuesText(r.analysis.values)}};
  HtmlTable table{{{"what", Column::text}, {"found", Column::text}}};
  for (const auto &[name, text] : facts)
    table.rows.push_back({{escaped(name), escaped(text)}});
  return htmlSection("structure", "What structure was found", table.str());
}

} // namespace specmv::cli
