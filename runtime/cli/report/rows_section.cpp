// Draws how long rows are: the probability mass function of their lengths, with the widths that
// formats derive from it.
#include "runtime/cli/report/html.h"
#include "runtime/cli/report/sections.h"
#include "runtime/cli/report/svg.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace specmv::cli {

namespace {
// Rows whose lengths are drawn as one bar.
struct LengthBar {
  Count first, last, rows;
};
} // namespace

// Up to this longest row each length has a bar of its own on an even axis.
constexpr Count kEvenLengths = 60;
constexpr int kMostBars = 80;

// Groups lengths by their places on an axis that is logarithmic for 1 + length.
static std::vector<LengthBar> barsOf(const std::vector<LengthCount> &lengths, Count longest) {
  std::map<int64_t, LengthBar> bars;
  const double all = std::log1p(static_cast<double>(std::max<Count>(1, longest)));
  for (const LengthCount &l : lengths) {
    const int64_t place =
        longest <= kEvenLengths
            ? l.length
            : std::lround(kMostBars * std::log1p(static_cast<double>(l.length)) / all);
    auto [at, isNew] = bars.try_emplace(place, LengthBar{l.length, l.length, 0});
    at->second.last = l.length;
    at->second.rows += l.rows;
  }
  std::vector<LengthBar> out;
  out.reserve(bars.size());
  for (const auto &[place, bar] : bars)
    out.push_back(bar);
  return out;
}

static Axis lengthAxis(Count longest) {
  constexpr double kLeastMost = 8; // so that ticks are whole numbers
  const auto most = static_cast<double>(longest);
  const std::string title = "entries of a row";
  return longest <= kEvenLengths
             ? Axis{-0.7, std::max(kLeastMost, most) + 0.7, Scale::linear, title}
             : Axis{0, most * 1.1, Scale::counts, title};
}

static std::string percentTick(double share) {
  return llvm::formatv("{0}%", tickText(share * 100));
}

static std::string lengthsText(const LengthBar &bar) {
  return bar.first == bar.last ? groupedCount(bar.first)
                               : groupedCount(bar.first) + " to " + groupedCount(bar.last);
}

static void drawBars(Chart &chart, const std::vector<LengthBar> &bars, Count rows) {
  constexpr double kLeastWidth = 6;
  for (const LengthBar &bar : bars) {
    const double share = static_cast<double>(bar.rows) / static_cast<double>(rows);
    const bool isEven = chart.x.scale == Scale::linear;
    const double left = chart.x.at(static_cast<double>(bar.first) - (isEven ? 0.4 : 0));
    const double right = chart.x.at(static_cast<double>(bar.last) + (isEven ? 0.4 : 0));
    const double width = std::max(kLeastWidth, right - left);
    const double top = chart.y.at(share);
    chart.svg.box(
        {(left + right - width) / 2, top}, width, chart.y.from - top, "bar",
        llvm::formatv("{0} entries: {1} rows", lengthsText(bar), groupedCount(bar.rows)).str());
  }
}

static std::string pmfChart(const Reported &r) {
  const Analysis &a = r.analysis;
  const Count rows = r.profile().rows, longest = a.rows.max;
  const double least = std::pow(10.0, std::floor(std::log10(0.6 / static_cast<double>(rows))));
  Chart chart(900, 330, lengthAxis(longest),
              {least, 1, Scale::decades, "share of the rows", percentTick},
              "row lengths: how many rows have how many entries");
  drawBars(chart, barsOf(r.profile().lengths, longest), rows);
  const auto mark = [](Count at, const char *name, const char *kind) {
    return Mark{static_cast<double>(at), name + groupedCount(at), kind};
  };
  chart.mark({mark(a.pmfK, "HYB's K, PMF model: ", "mark two"),
              mark(a.strips.hybK, "HYB's K, by row share: ", "mark three"),
              mark(longest, "ELL's width: ", "mark one")});
  return chart.svg.str();
}

static HtmlTable rowFacts(const RowStatistics &s) {
  const auto text = [](double value) { return llvm::formatv("{0:f2}", value).str(); };
  return {{{"mean", Column::number},
           {"sigma", Column::number},
           {"skewness", Column::number},
           {"shortest", Column::number},
           {"longest", Column::number},
           {"most frequent", Column::number},
           {"empty rows", Column::number}},
          {{{text(s.mean), text(s.std), text(s.skewness), groupedCount(s.min), groupedCount(s.max),
             groupedCount(s.mode), groupedCount(s.emptyRows)}}}};
}

std::string rowsSection(const Reported &r) {
  if (r.profile().rows == 0)
    return htmlSection("rows", "How long rows are", htmlParagraph("The matrix has no rows."));
  return htmlSection(
      "rows", "How long rows are",
      htmlFigure(pmfChart(r),
                 "The share of rows of each length (logarithmic). ELL pads all rows to its width; "
                 "HYB pads them to K, and stores what is longer in COO. K by row share is the "
                 "largest length that at least max(4096, rows / 3) rows reach.") +
          rowFacts(r.analysis.rows).str());
}

} // namespace specmv::cli
