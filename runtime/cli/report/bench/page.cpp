// Puts the sections about a bench together on a page, with the totals at its top and all matrices
// at its end.
#include "runtime/cli/report/bench/sections.h"
#include "runtime/cli/report/html.h"

#include "models/base/text.h"
#include "runtime/cli/bench/totals.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

namespace specmv::cli {

std::string ratioText(double ratio) {
  const bool isNearOne = ratio > 0.99 && ratio < 1.01; // three digits tell who wins
  return isNearOne ? llvm::formatv("{0:f3}", ratio) : llvm::formatv("{0:f2}", ratio);
}

// Returns "all", "L2" and "memory" of BenchTotal in words.
static const char *wordsOf(llvm::StringRef group) {
  return group == "L2" ? "CSR fits L2" : group == "memory" ? "CSR exceeds L2" : "all";
}

static std::string leadOf(const BenchTotal &total) {
  return htmlParagraph(llvm::formatv(
      "<b>{0}</b>: the best of cuSPARSE takes {1:f2} times as long as {2} (geometric mean); {3} is "
      "faster for {4} of {5} matrices.",
      escaped(total.type), total.ratio,
      total.first ? "the first plan of a program" : "the choice of specmv",
      total.first ? "that plan" : "the choice", total.won, total.matrices));
}

std::string totalsSection(const BenchFile &file) {
  HtmlTable table{{{"matrices", Column::text},
                   {"type", Column::text},
                   {"plan", Column::text},
                   {"products as", Column::text},
                   {"won", Column::number},
                   {"of", Column::number},
                   {"mean ratio", Column::number},
                   {"worst", Column::number},
                   {"matrix", Column::text},
                   {"best", Column::number},
                   {"matrix", Column::text}}};
  std::string lead;
  for (const BenchTotal &t : totalsOf(file.records, file.l2Bytes())) {
    if (llvm::StringRef(t.group) == "all")
      lead += leadOf(t);
    table.rows.push_back(
        {{htmlWord(wordsOf(t.group)), escaped(t.type), t.first ? "first" : "choice",
          nameOf(t.replays ? BenchTimes::replays : BenchTimes::launches), groupedCount(t.won),
          groupedCount(t.matrices), ratioText(t.ratio), ratioText(t.worst), htmlName(t.worstMatrix),
          ratioText(t.best), htmlName(t.bestMatrix)}});
  }
  if (table.rows.empty())
    lead = htmlParagraph("No matrix has both a choice of specmv and a product of cuSPARSE.");
  return htmlSection(
      "totals", "Specmv and the best of cuSPARSE",
      lead + table.str() +
          htmlParagraph("A ratio is the time of the fastest algorithm of cuSPARSE, divided by that "
                        "of the plan: above 1 the plan wins. The choice has all of its kernels "
                        "compiled; the first plan of a program finds kernels in installed packs "
                        "only. Means are geometric. Times are of "
                        "one product, without set-up, conversion or preprocessing, with everything "
                        "in the caches that fits. As launches, products are launched one after "
                        "another; as replays, they are replayed in a CUDA graph, which bench times "
                        "where CSR fits L2. ") +
          htmlParagraph(kCusparseLegend));
}

std::string matricesSection(const BenchFile &file) {
  HtmlTable table{{{"matrix", Column::text},
                   {"type", Column::text},
                   {"CSR", Column::number},
                   {"ratio", Column::number},
                   {"replayed", Column::number},
                   {"choice", Column::text},
                   {"time", Column::number},
                   {"fastest of ours", Column::text},
                   {"time", Column::number},
                   {"best of cuSPARSE", Column::text},
                   {"time", Column::number}}};
  const auto named = [](const BenchContender *c) { return c ? htmlWord(c->format) : "-"; };
  const auto timed = [](const BenchContender *c) { return timeOrDash(c ? c->us : 0); };
  const auto ratioOrDash = [](double ratio) { return ratio > 0 ? ratioText(ratio) : "-"; };
  for (const BenchCase &c : file.cases) {
    const BenchContender *chosen = c.chosen(), *ours = c.fastest(false, BenchTimes::launches),
                         *theirs = c.fastest(true, BenchTimes::launches);
    table.rows.push_back(
        {{htmlName(c.matrix), escaped(c.type), shortBytes(static_cast<double>(c.csrBytes)),
          ratioOrDash(c.ratio(BenchTimes::launches)), ratioOrDash(c.ratio(BenchTimes::replays)),
          named(chosen), timed(chosen), named(ours), timed(ours), named(theirs), timed(theirs)}});
  }
  return htmlSection("matrices", "All matrices", table.str());
}

static std::string benchHeader(const BenchFile &file) {
  const auto text = [&](const char *key) {
    return file.session.getString(key).value_or("unknown").str();
  };
  size_t products = 0;
  for (const BenchCase &c : file.cases)
    products += c.contenders.size();
  return llvm::formatv("measured on {0} ({1}), {2}, on {3} by specmv {4}: {5} products of {6} "
                       "matrices in a type",
                       machineOf(file.session), text("arch"), text("cusparse"), text("date"),
                       text("specmv"), groupedCount(static_cast<int64_t>(products)),
                       groupedCount(std::ssize(file.cases)));
}

std::string benchPage(const BenchFile &file) {
  return wholePage(llvm::sys::path::filename(file.path), benchHeader(file),
                   {{"totals", "Totals", totalsSection(file)},
                    {"profiles", "Performance profiles", profilesSection(file)},
                    {"ratios", "Sizes and families", ratiosSection(file)},
                    {"prediction", "Prediction", predictionSection(file)},
                    {"regret", "Choice", regretSection(file)},
                    {"matrices", "Matrices", matricesSection(file)}});
}

} // namespace specmv::cli
