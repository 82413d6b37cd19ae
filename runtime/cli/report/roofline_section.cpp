// Places the plans on the roofline of the GPU (Williams, Waterman and Patterson, "Roofline", 2009),
// and says what the predicted time is spent on.
#include "runtime/cli/report/html.h"
#include "runtime/cli/report/sections.h"
#include "runtime/cli/report/svg.h"

#include "models/base/units.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

namespace specmv::cli {

namespace {
// A product on the chart: operations for each byte that it moves, and GFLOP/s.
struct RoofPoint {
  double intensity, rate;
};
} // namespace

static RoofPoint roofPointOf(const Reported &r, const Candidate &c, double us) {
  const double flops = 2 * static_cast<double>(r.profile().nnz);
  return {flops / static_cast<double>(std::max<int64_t>(1, movedBytes(c.traffic))),
          flops / us / 1000};
}

// A multiplication with an addition counts as two operations.
static double peakRate(const Reported &r) {
  const GpuModel &gpu = r.gpu();
  return 2 * static_cast<double>(gpu.cores) *
         (r.type() == ValueType::f32 ? gpu.singleRate : gpu.doubleRate);
}

static std::string rateTick(double gflops) { return tickText(gflops * 1e9); }

static void drawRoof(Chart &chart, double gigabytes, double peak, const char *kind) {
  const double ridge = peak / gigabytes;
  const double begin = std::max(chart.x.least, chart.y.least / gigabytes);
  chart.svg.curve(
      {chart.at(begin, begin * gigabytes), chart.at(ridge, peak), chart.at(chart.x.most, peak)},
      kind);
}

static void drawPlans(Chart &chart, const Reported &r) {
  const std::vector<const Candidate *> best = r.bestOfFormats();
  for (size_t i = best.size(); i-- > 0;) {
    const RoofPoint p = roofPointOf(r, *best[i], best[i]->predictedUs);
    const SvgPoint at = chart.at(p.intensity, p.rate);
    chart.svg.dot(at, i == 0 ? 6 : 4, i == 0 ? "one" : "other",
                  best[i]->plan.format + ", predicted " + shortTime(best[i]->predictedUs));
    if (i == 0)
      chart.svg.text({at.x + 10, at.y + 4}, Anchor::start, best[i]->plan.format, "label");
  }
  if (const double us = measuredUs(r.bench, r.chosen().plan); us > 0) {
    const RoofPoint real = roofPointOf(r, r.chosen(), us);
    chart.svg.dot(chart.at(real.intensity, real.rate), 6, "three", "measured " + shortTime(us));
  }
}

static std::string roofChart(const Reported &r) {
  const double peak = peakRate(r);
  double leastX = 0.02, leastY = peak / 100;
  for (const Candidate *c : r.bestOfFormats()) {
    const RoofPoint p = roofPointOf(r, *c, std::max(c->predictedUs, measuredUs(r.bench, c->plan)));
    leastX = std::min(leastX, p.intensity / 2), leastY = std::min(leastY, p.rate / 3);
  }
  const double mostX = 4 * peak / std::min(r.gpu().dramGBs, r.gpu().l2GBs);
  Chart chart(900, 400, {leastX, mostX, Scale::decades, "operations for each byte that is moved"},
              {leastY, peak * 2, Scale::decades, "operations a second", rateTick},
              "roofline of the GPU with the plans");
  drawRoof(chart, r.gpu().l2GBs, peak, "roof two");
  drawRoof(chart, r.gpu().dramGBs, peak, "roof one");
  drawPlans(chart, r);
  return chart.svg.str();
}

static HtmlTable timeTable(const ProductTime &t) {
  const std::pair<const char *, double> parts[] = {{"launches", t.launchUs},
                                                   {"bytes read and written in order", t.streamUs},
                                                   {"gathers of x", t.gatherUs},
                                                   {"waiting that reading does not hide", t.waitUs},
                                                   {"the host", t.hostUs}};
  HtmlTable table{{{"the predicted time goes into", Column::text},
                   {"time", Column::number},
                   {"share", Column::number}}};
  for (const auto &[name, us] : parts)
    table.rows.push_back(
        {{name, timeOrDash(us), llvm::formatv("{0:f0} %", 100 * us / std::max(1e-12, t.totalUs))}});
  return table;
}

static std::string movedText(const Reported &r) {
  const Candidate &c = r.chosen();
  const double measured = measuredUs(r.bench, c.plan), us = measured > 0 ? measured : c.predictedUs;
  const auto bytes = static_cast<double>(movedBytes(c.traffic));
  const int64_t used = std::max(c.traffic.usedBytes, c.traffic.storedBytes);
  return llvm::formatv(
      "The chosen product moves {0} in {1} ({2}), which is {3}; bytes that it reads "
      "again count again. Of the {6} that it uses, a share of {7:f2} is predicted "
      "to come from memory and the rest from L2. The lines of the roofline are the "
      "rates of this GPU for reading in order, {4} from memory and {5} from L2; "
      "the prediction has rates of its own for each format, fitted to measurements, "
      "and they may be above or below.",
      shortBytes(bytes), shortTime(us), r.basis(), shortRate(bytes / us / 1000),
      shortRate(r.gpu().dramGBs), shortRate(r.gpu().l2GBs), shortBytes(used),
      shareFromMemory(c.traffic, r.gpu()));
}

std::string rooflineSection(const Reported &r) {
  const std::string title = "Roofline of " + r.gpu().name;
  if (r.profile().nnz == 0)
    return htmlSection("roofline", title,
                       htmlParagraph("The matrix has no entries: a product has no operations.") +
                           (r.why.time ? timeTable(*r.why.time).str() : ""));
  return htmlSection(
      "roofline", title,
      htmlFigure(
          roofChart(r),
          std::string("Blue line: memory; orange line: L2; their flat part is the peak of ") +
              nameOf(r.type()) +
              ". Blue dot: the choice; grey dots: the best plans of other formats, as "
              "predicted" +
              (r.bench ? "; green dot: the choice as measured." : ".")) +
          htmlParagraph(escaped(movedText(r))) + (r.why.time ? timeTable(*r.why.time).str() : ""));
}

} // namespace specmv::cli
