// Says what choosing by the prediction costs: the time of the choice in times of the fastest plan.
#include "runtime/cli/report/bench/sections.h"
#include "runtime/cli/report/html.h"

#include "models/base/numbers.h"
#include "models/base/text.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace specmv::cli {

namespace {
struct RegretCase {
  const BenchCase *of;
  BenchTimes times;
  double regret;
};
} // namespace

static std::vector<RegretCase> regretsOf(const BenchFile &file, const std::string &type,
                                         bool fitsL2, BenchTimes times) {
  std::vector<RegretCase> out;
  for (const BenchCase &c : file.cases)
    if (const double regret = c.regret(times); regret > 0 && c.type == type && c.fitsL2 == fitsL2)
      out.push_back({&c, times, regret});
  return out;
}

static std::string groupTable(const BenchFile &file) {
  HtmlTable table{{{"matrices", Column::text},
                   {"type", Column::text},
                   {"products as", Column::text},
                   {"cases", Column::number},
                   {"mean regret", Column::number},
                   {"95th percentile", Column::number},
                   {"worst", Column::number}}};
  for (const std::string &type : file.types())
    for (const bool fitsL2 : {true, false})
      for (const BenchTimes times : {BenchTimes::launches, BenchTimes::replays}) {
        std::vector<double> regrets;
        for (const RegretCase &each : regretsOf(file, type, fitsL2, times))
          regrets.push_back(each.regret);
        if (regrets.empty())
          continue;
        llvm::sort(regrets);
        table.rows.push_back(
            {{htmlWord(fitsL2 ? "CSR fits L2" : "CSR exceeds L2"), type, nameOf(times),
              groupedCount(std::ssize(regrets)), ratioText(geometricMean(regrets)),
              ratioText(percentile(regrets, 0.95)), ratioText(regrets.back())}});
      }
  return table.str();
}

// The largest regrets come first; those below kShown are within what timing varies by.
static std::string worstTable(const BenchFile &file) {
  constexpr double kShown = 1.03;
  constexpr size_t kMostShown = 15;
  std::vector<RegretCase> all;
  for (const std::string &type : file.types())
    for (const bool fitsL2 : {true, false})
      llvm::append_range(all, regretsOf(file, type, fitsL2, BenchTimes::launches));
  llvm::erase_if(all, [](const RegretCase &each) { return each.regret < kShown; });
  llvm::stable_sort(all,
                    [](const RegretCase &a, const RegretCase &b) { return a.regret > b.regret; });
  all.resize(std::min(all.size(), kMostShown));
  if (all.empty())
    return htmlParagraph("No choice takes 1.03 times the fastest of ours or more.");
  HtmlTable table{{{"matrix", Column::text},
                   {"type", Column::text},
                   {"choice", Column::text},
                   {"time", Column::number},
                   {"fastest of ours", Column::text},
                   {"time", Column::number},
                   {"regret", Column::number}}};
  for (const RegretCase &each : all) {
    const BenchContender &chosen = *each.of->chosen(),
                         &fastest = *each.of->fastest(false, each.times);
    table.rows.push_back({{htmlName(each.of->matrix), escaped(each.of->type),
                           htmlWord(chosen.format), shortTime(chosen.us), htmlWord(fastest.format),
                           shortTime(fastest.us), ratioText(each.regret)}});
  }
  return "<h3>The largest, as launches</h3>\n" + table.str();
}

std::string regretSection(const BenchFile &file) {
  return htmlSection(
      "regret", "What choosing costs",
      htmlParagraph("Regret is the time of the choice, divided by that of the fastest plan of "
                    "ours that the file has for the matrix. Means are geometric.") +
          groupTable(file) + worstTable(file));
}

} // namespace specmv::cli
