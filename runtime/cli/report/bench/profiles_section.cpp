// Draws performance profiles (Dolan and More, "Benchmarking optimization software with performance
// profiles", 2002): for each contender the share of matrices on which it takes at most so many
// times the time of the fastest.
#include "runtime/cli/report/bench/sections.h"
#include "runtime/cli/report/html.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>

namespace specmv::cli {

namespace {
// Its times by those of the fastest contender, ascending; matrices without a time are missing.
struct ProfileOf {
  std::string name;
  bool isTheirs = false;
  std::vector<double> quotients = {};

  // Returns the share of so many matrices on which it takes at most `times` the fastest time.
  double within(double times, size_t matrices) const {
    const auto end = llvm::upper_bound(quotients, times * (1 + 1e-12));
    return static_cast<double>(end - quotients.begin()) / static_cast<double>(matrices);
  }
};

struct Profiles {
  size_t matrices = 0; // with a choice and a product of cuSPARSE
  std::vector<ProfileOf> contenders = {};
};
} // namespace

constexpr const char *kChoice = "specmv";

// The contenders are the choice and each algorithm of cuSPARSE.
static Profiles profilesOf(const BenchFile &file, const std::string &type, BenchTimes times) {
  std::map<std::string, ProfileOf> byName;
  Profiles out;
  for (const BenchCase &c : file.cases) {
    if (c.type != type || c.ratio(times) == 0)
      continue;
    ++out.matrices;
    const double fastest =
        std::min(c.chosen()->timeBy(times), c.fastest(true, times)->timeBy(times));
    for (const BenchContender &contender : c.contenders) {
      if ((!contender.isTheirs && !contender.isChosen) || contender.timeBy(times) == 0)
        continue;
      const std::string name = contender.isTheirs ? contender.format : kChoice;
      byName.try_emplace(name, ProfileOf{name, contender.isTheirs})
          .first->second.quotients.push_back(contender.timeBy(times) / fastest);
    }
  }
  for (auto &[name, each] : byName) {
    llvm::sort(each.quotients);
    out.contenders.push_back(std::move(each));
  }
  // Ours first, then theirs, the more often near the fastest the earlier.
  constexpr double kNear = 1.5;
  llvm::stable_sort(out.contenders, [&](const ProfileOf &a, const ProfileOf &b) {
    return std::pair(a.isTheirs, -a.within(kNear, out.matrices)) <
           std::pair(b.isTheirs, -b.within(kNear, out.matrices));
  });
  return out;
}

constexpr double kMostTimes = 4; // where the charts end

// A curve has a step at each matrix.
static std::vector<SvgPoint> stepsOf(const Chart &chart, const ProfileOf &each, size_t matrices) {
  double share = each.within(1, matrices);
  std::vector<SvgPoint> out{chart.at(1, share)};
  for (const double quotient : each.quotients) {
    if (quotient > kMostTimes)
      break;
    out.push_back(chart.at(quotient, share));
    out.push_back(chart.at(quotient, share = each.within(quotient, matrices)));
  }
  out.push_back(chart.at(kMostTimes, share));
  return out;
}

static std::string profileChart(const Profiles &profiles, const std::string &title) {
  Chart chart(440, 320, {1, kMostTimes, Scale::linear, "time / time of the fastest"},
              {0, 1.04, Scale::linear, "share of matrices"}, title);
  for (size_t i = profiles.contenders.size(); i-- > 0;) {
    const ProfileOf &each = profiles.contenders[i];
    const bool isFirstOfTheirs = each.isTheirs && (i == 0 || !profiles.contenders[i - 1].isTheirs);
    chart.svg.curve(stepsOf(chart, each, profiles.matrices), !each.isTheirs    ? "profile one"
                                                             : isFirstOfTheirs ? "profile two"
                                                                               : "other");
  }
  return chart.svg.str();
}

static std::string tableOf(const Profiles &profiles) {
  HtmlTable table{{{"contender", Column::text}}};
  constexpr double kTimes[] = {1, 1.1, 1.5, 2, 4};
  for (const char *head : {"fastest", "<= 1.1", "<= 1.5", "<= 2", "<= 4"})
    table.head.emplace_back(head, Column::number);
  table.head.emplace_back("timed", Column::number);
  const auto percent = [](double share) { return llvm::formatv("{0:f0} %", 100 * share).str(); };
  for (const ProfileOf &each : profiles.contenders) {
    HtmlRow row{{htmlWord(each.name)}, !each.isTheirs};
    for (const double times : kTimes)
      row.cells.push_back(percent(each.within(times, profiles.matrices)));
    row.cells.push_back(groupedCount(std::ssize(each.quotients)));
    table.rows.push_back(std::move(row));
  }
  return table.str();
}

std::string profilesSection(const BenchFile &file) {
  std::string figures;
  for (const std::string &type : file.types())
    for (const BenchTimes times : {BenchTimes::launches, BenchTimes::replays}) {
      const Profiles profiles = profilesOf(file, type, times);
      if (profiles.matrices == 0)
        continue;
      const std::string title =
          llvm::formatv("{0}, products as {1}, {2} matri{3}", type, nameOf(times),
                        profiles.matrices, profiles.matrices == 1 ? "x" : "ces");
      figures += "<div><h3>" + title + "</h3>\n" + profileChart(profiles, title) +
                 tableOf(profiles) + "</div>\n";
    }
  if (figures.empty())
    figures = htmlParagraph("No matrix has both a choice of specmv and a product of cuSPARSE.");
  else
    figures =
        htmlParagraph(
            "A curve shows for which share of the matrices a contender takes at most so many "
            "times as long as the fastest contender. Blue: the choice of specmv; orange: the "
            "algorithm of cuSPARSE that is most often within 1.5 times; grey: its others, in "
            "the table below. An algorithm that was not timed on a matrix counts as slower.") +
        "<div class=\"levels\">\n" + figures + "</div>\n";
  return htmlSection("profiles", "Performance profiles", figures);
}

} // namespace specmv::cli
