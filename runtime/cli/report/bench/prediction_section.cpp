// Draws predicted times over measured ones, and sums the errors up by format.
#include "runtime/cli/report/bench/sections.h"
#include "runtime/cli/report/html.h"

#include "models/base/numbers.h"
#include "models/base/text.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>

namespace specmv::cli {

namespace {
struct PredictedPoint {
  const BenchCase *of;
  const BenchContender *contender;

  double quotient() const { return contender->predictedUs / contender->us; }
  double error() const { return std::abs(quotient() - 1); }
};
} // namespace

// The chosen ones come last, so that they are drawn above the others.
static std::vector<PredictedPoint> predictedPoints(const BenchFile &file) {
  std::vector<PredictedPoint> out;
  for (const BenchCase &c : file.cases)
    for (const BenchContender &contender : c.contenders)
      if (contender.predictedUs > 0 && !contender.isTheirs)
        out.push_back({&c, &contender});
  llvm::stable_sort(out, [](const PredictedPoint &a, const PredictedPoint &b) {
    return a.contender->isChosen < b.contender->isChosen;
  });
  return out;
}

// More dots would make the page large and show nothing new.
constexpr size_t kMostDots = 3000;

static std::string predictionChart(const std::vector<PredictedPoint> &points) {
  double least = 1e15, most = 0;
  for (const PredictedPoint &p : points) {
    least = std::min({least, p.contender->us / 1.2, p.contender->predictedUs / 1.2});
    most = std::max({most, p.contender->us * 1.2, p.contender->predictedUs * 1.2});
  }
  Chart chart(900, 520, {least, most, Scale::decades, "measured time", timeTick},
              {least, most, Scale::decades, "predicted time", timeTick},
              "predicted over measured times");
  const size_t every = (points.size() + kMostDots - 1) / kMostDots;
  for (size_t i = points.size() % every; i < points.size(); i += every) {
    const auto &[of, c] = points[i];
    chart.svg.dot(chart.at(c->us, c->predictedUs), c->isChosen ? 4 : 2.5,
                  c->isChosen ? "one" : "other",
                  llvm::formatv("{0} {1}, {2}: predicted {3}, measured {4}", of->matrix, of->type,
                                c->format, shortTime(c->predictedUs), shortTime(c->us))
                      .str());
  }
  chart.svg.line(chart.at(least, least), chart.at(most, most), "even-line");
  return chart.svg.str();
}

static HtmlRow errorRow(const std::string &name, const std::vector<PredictedPoint> &points,
                        bool isMarked) {
  std::vector<double> quotients, errors;
  for (const PredictedPoint &p : points) {
    quotients.push_back(p.quotient());
    errors.push_back(100 * p.error());
  }
  llvm::sort(errors);
  return {{htmlWord(name), groupedCount(std::ssize(points)), ratioText(geometricMean(quotients)),
           llvm::formatv("{0:f1} %", percentile(errors, 0.5)),
           llvm::formatv("{0:f1} %", percentile(errors, 0.9))},
          isMarked};
}

// Returns the choices whose CSR fits L2, or does not.
static std::vector<PredictedPoint> predictedChoices(const std::vector<PredictedPoint> &points,
                                                    bool fitsL2) {
  std::vector<PredictedPoint> out;
  for (const PredictedPoint &p : points)
    if (p.contender->isChosen && p.of->fitsL2 == fitsL2)
      out.push_back(p);
  return out;
}

static std::string errorTable(const std::vector<PredictedPoint> &points) {
  std::map<std::string, std::vector<PredictedPoint>> byFormat;
  for (const PredictedPoint &p : points)
    byFormat[p.contender->format].push_back(p);
  HtmlTable table{{{"format", Column::text},
                   {"products", Column::number},
                   {"predicted / measured, mean", Column::number},
                   {"error, median", Column::number},
                   {"error, 90th percentile", Column::number}}};
  table.rows.push_back(errorRow("all", points, false));
  for (const bool fitsL2 : {true, false})
    if (const auto choices = predictedChoices(points, fitsL2); !choices.empty())
      table.rows.push_back(
          errorRow(fitsL2 ? "choices, CSR fits L2" : "choices, CSR exceeds L2", choices, true));
  for (const auto &[format, of] : byFormat)
    table.rows.push_back(errorRow(format, of, false));
  return table.str();
}

// The choices with the largest errors.
static std::string worstPredictions(std::vector<PredictedPoint> points) {
  constexpr size_t kMost = 10;
  llvm::erase_if(points, [](const PredictedPoint &p) { return !p.contender->isChosen; });
  llvm::stable_sort(points, [](const PredictedPoint &a, const PredictedPoint &b) {
    return a.error() > b.error();
  });
  points.resize(std::min(points.size(), kMost));
  HtmlTable table{{{"matrix", Column::text},
                   {"type", Column::text},
                   {"choice", Column::text},
                   {"predicted", Column::number},
                   {"measured", Column::number},
                   {"predicted / measured", Column::number}}};
  for (const PredictedPoint &p : points)
    table.rows.push_back({{htmlName(p.of->matrix), escaped(p.of->type),
                           htmlWord(p.contender->format), shortTime(p.contender->predictedUs),
                           shortTime(p.contender->us), ratioText(p.quotient())}});
  return points.empty() ? "" : "<h3>The choices with the largest errors</h3>\n" + table.str();
}

// Names the choices that the file has no prediction for.
static std::string withoutPrediction(const BenchFile &file) {
  std::string names;
  for (const BenchCase &c : file.cases)
    if (const BenchContender *chosen = c.chosen(); chosen && chosen->predictedUs == 0)
      names += (names.empty() ? "" : "; ") + htmlName(c.matrix) + " " + escaped(c.type);
  return names.empty()
             ? ""
             : htmlParagraph("The file has no predicted time of the choice for " + names + ".");
}

std::string predictionSection(const BenchFile &file) {
  const std::vector<PredictedPoint> points = predictedPoints(file);
  const char *const title = "Prediction against measurement";
  if (points.empty())
    return htmlSection("prediction", title, htmlParagraph("The file has no predicted times."));
  return htmlSection(
      "prediction", title,
      htmlFigure(
          predictionChart(points),
          "The fastest plan of each format, as launches. Blue: the choices; grey: other "
          "formats. On the line the prediction is exact. Hover over a dot to see its matrix.") +
          errorTable(points) + worstPredictions(points) + withoutPrediction(file));
}

} // namespace specmv::cli
