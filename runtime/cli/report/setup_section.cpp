// Says what the set-up costs stage by stage, and after how many products it has paid.
#include "runtime/cli/report/html.h"
#include "runtime/cli/report/sections.h"
#include "runtime/cli/report/svg.h"

#include "models/base/units.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

namespace specmv::cli {

namespace {
// A total time of set-up and products, as a curve.
struct TotalCurve {
  const char *name, *kind;
  Worth worth;
  int64_t paysAfter; // kNever: no point to mark
};
} // namespace

static std::vector<TotalCurve> curvesOf(const Explanation &why) {
  const auto ours = [&](const char *name, const char *kind, double setupUs, int64_t paysAfter) {
    return TotalCurve{name, kind, {.productUs = why.productUs, .setupUs = setupUs}, paysAfter};
  };
  return {ours("the choice is known", "total known", why.knownSetupUs, why.paysAfterKnown),
          ours("kernels loaded", "total loaded", why.setupUs, why.paysAfter),
          ours("all compiled", "total compiled", why.compiledSetupUs, why.paysAfterCompiling)};
}

static std::vector<SvgPoint> pointsOf(const Chart &chart, const Worth &worth) {
  constexpr int kPoints = 80;
  std::vector<SvgPoint> out;
  for (int i = 0; i <= kPoints; ++i) {
    const double n = std::pow(chart.x.most, static_cast<double>(i) / kPoints);
    out.push_back(chart.at(n, worth.setupUs + n * worth.productUs));
  }
  return out;
}

// Returns a power of ten of products that shows every point at which a set-up has paid, if it can.
static double mostProducts(const std::vector<TotalCurve> &curves) {
  constexpr double kLeast = 1e4, kMost = 1e9;
  double most = kLeast;
  for (const TotalCurve &curve : curves)
    if (curve.paysAfter != kNever)
      most = std::max(most, std::min(kMost, static_cast<double>(curve.paysAfter) * 4));
  return std::pow(10.0, std::ceil(std::log10(most)));
}

static std::string totalsChart(const Reported &r) {
  const std::vector<TotalCurve> curves = curvesOf(r.why);
  const double products = mostProducts(curves), us = r.why.productUs;
  const double theirs = r.why.cusparse ? r.why.cusparse->us : us;
  Chart chart(900, 400, {1, products, Scale::decades, "products"},
              {std::min(us, theirs) / 1.5,
               (r.why.compiledSetupUs + products * std::max(us, theirs)) * 1.5, Scale::decades,
               "total time", timeTick},
              "total time of set-up and products");
  if (r.why.cusparse)
    chart.svg.curve(pointsOf(chart, {.productUs = theirs, .setupUs = 0}), "total theirs");
  for (const TotalCurve &curve : curves)
    chart.svg.curve(pointsOf(chart, curve.worth), curve.kind);
  double label = chart.y.from; // labels of near points stand below one another
  for (const TotalCurve &curve : curves) {
    const auto n = static_cast<double>(curve.paysAfter);
    if (curve.paysAfter == kNever || n > products)
      continue;
    const SvgPoint at = chart.at(n, curve.worth.setupUs + n * us);
    chart.svg.line({at.x, chart.y.from}, at, "drop");
    chart.svg.dot(at, 5, "three", groupedCount(curve.paysAfter) + " products");
    const bool isRight = at.x > (chart.x.from + chart.x.to) / 2;
    chart.svg.text({at.x + (isRight ? -5 : 5), label -= 14}, isRight ? Anchor::end : Anchor::start,
                   groupedCount(curve.paysAfter), "label");
  }
  return chart.svg.str();
}

static HtmlTable paysTable(const Explanation &why) {
  HtmlTable table{{{"", Column::text},
                   {"set-up", Column::number},
                   {"pays after products", Column::number},
                   {"line", Column::text}}};
  const char *const lines[] = {"dotted", "solid", "dashed"};
  size_t i = 0;
  for (const TotalCurve &curve : curvesOf(why))
    table.rows.push_back(
        {{curve.name, shortTime(curve.worth.setupUs),
          curve.paysAfter == kNever ? "never" : groupedCount(curve.paysAfter), lines[i++]}});
  return table;
}

// Returns the stages as predicted. Profile, packing and kernels are differences of the whole
// set-ups that `why` has.
static HtmlTable predictedStages(const Reported &r) {
  const Explanation &why = r.why;
  const double host = setupHostTime(r.gpu()).totalUs();
  const std::pair<const char *, double> stages[] = {
      {"profile and choice, not needed once the choice is known", why.setupUs - why.knownSetupUs},
      {"work of the host that all plans need", host},
      {"packing", std::max(0.0, why.knownSetupUs - host)},
      {"compiling and loading all kernels, if none is at hand", why.compiledSetupUs - why.setupUs}};
  HtmlTable table{{{"stage, predicted", Column::text}, {"time", Column::number}}};
  for (const auto &[name, us] : stages)
    table.rows.push_back({{name, timeOrDash(us)}});
  return table;
}

static std::string measuredStages(const Reported &r) {
  const BenchLine *line = r.bench ? r.bench->chosen() : nullptr;
  if (!line)
    return "";
  HtmlTable table{{{"stage, measured", Column::text}, {"time", Column::number}}};
  for (const auto &[name, ms] : partsOf(line->setup))
    if (ms > 0)
      table.rows.push_back({{name, shortTime(ms * 1000)}});
  return "<h3>Measured here</h3>\n" + table.str() +
         htmlParagraph(
             "The profile is the host's; the first build of a program also loads what all "
             "plans use.");
}

std::string setupSection(const Reported &r) {
  const std::string theirs =
      r.why.cusparse ? llvm::formatv("orange: {0}, the best of cuSPARSE, without a set-up",
                                     r.why.cusparse->format)
                           .str()
                     : "none of cuSPARSE's formats has a price";
  const std::string basis = r.why.cusparse && r.why.cusparse->by == CusparseTime::By::measurement
                                ? "Times of products are measured, those of set-ups predicted."
                                : "All times are predicted.";
  return htmlSection(
      "setup", "Set-up, and when it pays",
      htmlFigure(totalsChart(r), "Total time over the number of products, both logarithmic; blue: "
                                 "this plan; " +
                                     escaped(theirs) +
                                     ". Green dots: from so many products on the plan is ahead. " +
                                     basis) +
          paysTable(r.why).str() + predictedStages(r).str() + measuredStages(r));
}

} // namespace specmv::cli
