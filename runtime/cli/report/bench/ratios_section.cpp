// Draws how the ratio to the best of cuSPARSE depends on the size of a matrix, and sums it up by
// family.
#include "runtime/cli/report/bench/sections.h"
#include "runtime/cli/report/html.h"

#include "models/base/numbers.h"
#include "runtime/lab/evaluate/measured.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>

namespace specmv::cli {

static std::string bytesTick(double bytes) { return tickText(bytes) + "B"; }

namespace {
struct RatioPoint {
  const BenchCase *of;
  double ratio;
};
} // namespace

static std::vector<RatioPoint> ratioPoints(const BenchFile &file, const std::string &type) {
  std::vector<RatioPoint> out;
  for (const BenchCase &c : file.cases)
    if (const double ratio = c.ratio(BenchTimes::launches); ratio > 0 && c.type == type)
      out.push_back({&c, ratio});
  return out;
}

static std::string ratioChart(const BenchFile &file, const std::vector<RatioPoint> &points,
                              const std::string &title) {
  double least = 1e15, most = 1, low = 0.5, high = 2;
  for (const RatioPoint &p : points) {
    const auto bytes = std::max(1.0, static_cast<double>(p.of->csrBytes));
    least = std::min(least, bytes / 1.5), most = std::max(most, bytes * 1.5);
    low = std::min(low, p.ratio / 1.1), high = std::max(high, p.ratio * 1.1);
  }
  Chart chart(900, 340, {least, most, Scale::decades, "bytes of the matrix in CSR", bytesTick},
              {low, high, Scale::decades, "time of cuSPARSE / ours"}, title);
  chart.svg.line(chart.at(least, 1), chart.at(most, 1), "even-line");
  if (const auto l2 = static_cast<double>(file.l2Bytes()); l2 > least && l2 < most)
    chart.mark({{l2, "L2", "mark two"}});
  for (const RatioPoint &p : points)
    chart.svg.dot(
        chart.at(std::max(1.0, static_cast<double>(p.of->csrBytes)), p.ratio), 4,
        p.ratio >= 1 ? "one" : "two",
        llvm::formatv("{0}: {1:f2}, {2}", p.of->matrix, p.ratio, p.of->chosen()->format).str());
  return chart.svg.str();
}

static std::string familyTable(const std::vector<RatioPoint> &points) {
  std::map<std::string, std::vector<RatioPoint>> byFamily;
  for (const RatioPoint &p : points) {
    const bool isGenerated = p.of->matrix.find(':') != std::string::npos;
    byFamily[isGenerated ? familyOf(p.of->matrix) : "files"].push_back(p);
  }
  HtmlTable table{{{"family", Column::text},
                   {"matrices", Column::number},
                   {"won", Column::number},
                   {"mean ratio", Column::number},
                   {"worst", Column::number},
                   {"matrix", Column::text}}};
  for (const auto &[family, of] : byFamily) {
    std::vector<double> ratios;
    for (const RatioPoint &p : of)
      ratios.push_back(p.ratio);
    const auto worst =
        std::min_element(of.begin(), of.end(), [](const RatioPoint &a, const RatioPoint &b) {
          return a.ratio < b.ratio;
        });
    table.rows.push_back(
        {{escaped(family), groupedCount(std::ssize(of)),
          groupedCount(std::count_if(ratios.begin(), ratios.end(), [](double r) { return r > 1; })),
          ratioText(geometricMean(ratios)), ratioText(worst->ratio), htmlName(worst->of->matrix)}});
  }
  return table.str();
}

std::string ratiosSection(const BenchFile &file) {
  std::string out;
  for (const std::string &type : file.types()) {
    const std::vector<RatioPoint> points = ratioPoints(file, type);
    if (points.empty())
      continue;
    out +=
        "<h3>" + type + "</h3>\n" +
        htmlFigure(ratioChart(file, points, "ratio over size, " + type),
                   "Time of the best of cuSPARSE divided by that of the choice, as launches. Blue "
                   "dots: specmv wins; orange dots: cuSPARSE does. Hover over a dot to see its "
                   "matrix.") +
        familyTable(points);
  }
  return htmlSection(
      "ratios", "Ratio by size and family",
      out.empty()
          ? htmlParagraph("No matrix has both a choice of specmv and a product of cuSPARSE.")
          : out);
}

} // namespace specmv::cli
