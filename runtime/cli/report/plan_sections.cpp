// The sections about the plans: bytes, candidates, counters, the papers' models, the roofline.
#include "models/base/text.h"
#include "runtime/cli/report/html.h"
#include "runtime/cli/report/sections.h"
#include "runtime/cli/why.h"
#include "runtime/plan/worth.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

namespace specmv::cli {

// --- Bytes section -------------------------------------------------------------------------------

// Compares the bytes of the chosen plan's arrays with those of CSR.

namespace {
struct NamedBytes {
  std::string name, type;
  int64_t count, bytes;
};
} // namespace

// Returns CSR with 32-bit indices, as SetupSize counts it.
static std::vector<NamedBytes> csrArrays(const Reported &r) {
  const SetupSize size = r.size();
  return {{"rowPtr", "i32", size.rows + 1, (size.rows + 1) * size.indexBytes},
          {"col", "i32", size.nnz, size.nnz * size.indexBytes},
          {"val", nameOf(r.type()), size.nnz, size.nnz * size.valueBytes}};
}

static std::vector<NamedBytes> planArrays(const Layout &layout) {
  std::vector<NamedBytes> out;
  for (const LayoutArray &array : layout.arrays)
    if (!array.isSpare)
      out.push_back({array.name, nameOf(array.type), array.count(), array.size()});
  return out;
}

// Draws the arrays end to end. Those with room for it get their names.
static void drawArrays(Svg &svg, const std::vector<NamedBytes> &arrays, double y, double scale) {
  constexpr double kHeight = 26, kBegin = 104, kOfLetter = 7.5;
  double x = kBegin;
  const char *kind = "piece even";
  for (const NamedBytes &array : arrays) {
    const double width = static_cast<double>(array.bytes) * scale;
    svg.box({x, y}, width, kHeight, kind,
            array.name + ": " + shortBytes(static_cast<double>(array.bytes)));
    if (width > kOfLetter * static_cast<double>(array.name.size() + 1))
      svg.text({x + width / 2, y + 17}, Anchor::middle, array.name, "inside");
    x += width;
    kind = llvm::StringRef(kind).ends_with("even") ? "piece odd" : "piece even";
  }
}

static int64_t totalBytes(const std::vector<NamedBytes> &arrays) {
  int64_t sum = 0;
  for (const NamedBytes &array : arrays)
    sum += array.bytes;
  return sum;
}

static std::string bytesChart(const Reported &r) {
  const std::vector<NamedBytes> csr = csrArrays(r), plan = planArrays(r.layout);
  constexpr double kRoom = 770;
  const double scale =
      kRoom / static_cast<double>(std::max<int64_t>({1, totalBytes(csr), totalBytes(plan)}));
  Svg svg(900, 84, "bytes of the arrays of CSR and of the plan");
  svg.text({96, 27}, Anchor::end, "CSR");
  drawArrays(svg, csr, 10, scale);
  svg.text({96, 65}, Anchor::end, r.chosen().plan.format, "label");
  drawArrays(svg, plan, 48, scale);
  return svg.str();
}

static void addArrays(HtmlTable &table, const std::string &whose,
                      const std::vector<NamedBytes> &arrays, int64_t csrBytes) {
  const auto share = [&](int64_t bytes) {
    return llvm::formatv("{0:f3}", static_cast<double>(bytes) / static_cast<double>(csrBytes))
        .str();
  };
  for (const NamedBytes &array : arrays)
    table.rows.push_back(
        {{escaped(whose), "<code>" + escaped(array.name) + "</code>", array.type,
          groupedCount(array.count), groupedCount(array.bytes), share(array.bytes)}});
  const int64_t all = totalBytes(arrays);
  table.rows.push_back({{escaped(whose), "all", "", "", groupedCount(all), share(all)}, true});
}

std::string bytesSection(const Reported &r) {
  HtmlTable table{{{"of", Column::text},
                   {"array", Column::text},
                   {"type", Column::text},
                   {"elements", Column::number},
                   {"bytes", Column::number},
                   {"of CSR", Column::number}}};
  const int64_t csr = r.size().csrBytes();
  addArrays(table, "CSR", csrArrays(r), csr);
  addArrays(table, r.chosen().plan.format, planArrays(r.layout), csr);
  std::string scratch;
  for (const LayoutArray &array : r.layout.scratch)
    scratch += (scratch.empty() ? "Working memory besides: " : ", ") + array.name + " " +
               shortBytes(static_cast<double>(array.size()));
  return htmlSection(
      "bytes", "Bytes by array",
      htmlFigure(bytesChart(r), "Both bars have the same scale. A plan's arrays have "
                                "places for all lanes and slices; those without "
                                "an entry are padding.") +
          table.str() + (scratch.empty() ? "" : htmlParagraph(escaped(scratch) + ".")));
}

// --- Candidates section --------------------------------------------------------------------------

// Compares all candidates: predicted times, measured ones where there are any, and why formats have
// no plan.

// Returns an axis of times, from a round value below all of them to above all of them.
static Axis timeAxis(const std::vector<double> &times) {
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  return {*least / 1.3, *most * 1.3, Scale::decades, "time of a product", timeTick};
}

static std::string formatsChart(const Reported &r) {
  const std::vector<const Candidate *> best = r.bestOfFormats();
  std::vector<double> times;
  for (const Candidate *c : best) {
    times.push_back(c->predictedUs);
    if (const double us = measuredUs(r.bench, c->plan); us > 0)
      times.push_back(us);
  }
  if (r.why.cusparse)
    times.push_back(r.why.cusparse->us);
  constexpr double kRow = 24, kAround = 92;
  const auto count = static_cast<double>(best.size());
  Chart chart(900, kRow * count + kAround, timeAxis(times), {0, 1, Scale::none},
              "predicted and measured times of the best plan of each format");
  if (r.why.cusparse)
    chart.mark(Mark{r.why.cusparse->us, "best of cuSPARSE", "mark two"});
  for (size_t i = 0; i < best.size(); ++i) {
    const double y = chart.y.to + kRow * (static_cast<double>(i) + 1.3);
    const double predicted = chart.x.at(best[i]->predictedUs);
    const double us = measuredUs(r.bench, best[i]->plan);
    chart.svg.text({chart.x.from - 6, y + 4}, Anchor::end, best[i]->plan.format,
                   i == 0 ? "label" : "");
    chart.svg.line({chart.x.from, y}, {predicted, y}, i == 0 ? "stem strong" : "stem");
    chart.svg.dot({predicted, y}, 5, i == 0 ? "one" : "other",
                  "predicted " + shortTime(best[i]->predictedUs));
    if (us > 0)
      chart.svg.dot({chart.x.at(us), y}, 5, "three", "measured " + shortTime(us));
  }
  return chart.svg.str();
}

static HtmlRow rowOfCandidate(const Reported &r, size_t i) {
  const Candidate &c = r.analysis.seen.ranked.candidates[i];
  const Fit &fit = r.analysis.fit;
  const auto csr = static_cast<double>(std::max<int64_t>(1, r.size().csrBytes()));
  HtmlRow row{{"<code>" + escaped(planText(c.plan)) + "</code>",
               shortBytes(static_cast<double>(c.traffic.storedBytes)),
               llvm::formatv("{0:f2}", static_cast<double>(c.traffic.storedBytes) / csr),
               shortTime(c.predictedUs), shortTime(c.cautiousUs())},
              i == fit.index};
  if (r.analysis.request.weighsSetup())
    row.cells.push_back(shortTime(worthOf(c).totalUs(r.analysis.request.expectedProducts)));
  if (r.bench)
    row.cells.push_back(timeOrDash(measuredUs(r.bench, c.plan)));
  row.cells.push_back(i < fit.index    ? escaped(fit.whyNot[i])
                      : i == fit.index ? "<b>choice</b>"
                                       : "");
  return row;
}

static std::string plansTable(const Reported &r) {
  HtmlTable table{{{"plan", Column::text},
                   {"stored", Column::number},
                   {"of CSR", Column::number},
                   {"predicted", Column::number},
                   {"ordered by", Column::number}}};
  if (r.analysis.request.weighsSetup())
    table.head.emplace_back("set-up and products", Column::number);
  if (r.bench)
    table.head.emplace_back("measured", Column::number);
  table.head.emplace_back("", Column::text);
  for (size_t i = 0; i < r.analysis.seen.ranked.candidates.size(); ++i)
    table.rows.push_back(rowOfCandidate(r, i));
  return table.str();
}

static std::string withoutPlan(const Reported &r) {
  std::string out;
  for (const std::string &why : reasonsOf(r.analysis.seen.ranked.offers))
    out += "<li>" + escaped(why) + "</li>\n";
  return out.empty() ? "" : "<h3>Formats without a plan</h3>\n<ul>\n" + out + "</ul>\n";
}

// Lists what was measured of each format, cuSPARSE's among them.
static std::string measuredTable(const Reported &r) {
  if (!r.bench)
    return "";
  using TimeOf = double (*)(const BenchLine &);
  const std::pair<const char *, TimeOf> all[] = {
      {"measured", [](const BenchLine &line) { return line.us; }},
      {"as a graph", [](const BenchLine &line) { return line.replay.us; }},
      {"with a cold L2", [](const BenchLine &line) { return line.usCold; }},
      {"prepared in", [](const BenchLine &line) { return line.prepareUs; }}};
  HtmlTable table{{{"format", Column::text}}};
  std::vector<TimeOf> shown; // the times that some line has
  for (const auto &[title, timeOf] : all)
    if (llvm::any_of(r.bench->lines,
                     [of = timeOf](const BenchLine &line) { return of(line) > 0; })) {
      table.head.emplace_back(title, Column::number);
      shown.push_back(timeOf);
    }
  table.head.emplace_back("", Column::text);
  for (const BenchLine &line : r.bench->lines) {
    HtmlRow row{{"<span class=\"word\">" + escaped(line.format) + "</span>"}, line.chosen};
    for (const TimeOf timeOf : shown)
      row.cells.push_back(timeOrDash(timeOf(line)));
    row.cells.push_back(escaped(line.why));
    table.rows.push_back(std::move(row));
  }
  return "<h3>Measured on this GPU</h3>\n" + table.str();
}

std::string candidatesSection(const Reported &r) {
  return htmlSection(
      "candidates", "All candidates",
      htmlFigure(formatsChart(r),
                 std::string("The best plan of each format, in the order of the ranking: ") +
                     "predicted (blue for the choice, else grey)" +
                     (r.bench ? ", measured (green)" : "; nothing was measured") +
                     ". Times are logarithmic.") +
          htmlParagraph(
              "\"Predicted\" is the time of one launch after another. Plans are ordered by its "
              "mean with the time as a graph, both without what a host adds that launches too "
              "slowly, times a margin for kinds of plans that are harder to predict. Stored bytes "
              "are an estimate from the profile; the chosen "
              "plan's own are counted in \"Bytes by array\".") +
          plansTable(r) + (r.bench || r.why.cusparse ? htmlParagraph(kCusparseLegend) : "") +
          measuredTable(r) + withoutPlan(r));
}

// --- Counters section ----------------------------------------------------------------------------

// Shows what the hardware counted in a product by the chosen plan.

std::string countersSection(const Reported &r) {
  const char *const title = "What the GPU counted";
  const KernelProfile &counted = *r.counted;
  if (!counted.why.empty())
    return htmlSection(
        "counters", title,
        htmlParagraph("The counters of the GPU were not read: " + escaped(counted.why) + "."));
  HtmlTable table{{{"of one product by the choice", Column::text}, {"", Column::number}}};
  for (const MetricColumn &column : metricColumns())
    table.rows.push_back({{escaped(column.title), cellOf(column, counted.metrics)}});
  return htmlSection("counters", title,
                     table.str() +
                         htmlParagraph("All kernels of the product together, caches warm; the time "
                                       "is without counters."));
}

// --- Papers section ------------------------------------------------------------------------------

// Puts the predictions of the papers' models beside ours.

static std::string optionalTime(const std::optional<double> &us) {
  return us ? shortTime(*us) : "-";
}

// Returns the best plan of a format, which need not be the one that a paper's model means.
static const Candidate *bestOf(const Reported &r, llvm::StringRef format) {
  for (const Candidate *c : r.bestOfFormats())
    if (c->plan.format == format)
      return c;
  return nullptr;
}

static HtmlTable pmfTable(const Reported &r) {
  const PmfEstimate &printed = r.analysis.asPrinted, &corrected = r.analysis.corrected;
  struct Row {
    const char *name, *format;
    const PmfTime &printed, &corrected;
  };
  const Row rows[] = {{"COO", "coo", printed.coo, corrected.coo},
                      {"CSR", "csr-scalar", printed.csr, corrected.csr},
                      {"ELL", "ell", printed.ell, corrected.ell},
                      {"HYB", "hyb", printed.hyb, corrected.hyb}};
  HtmlTable table{{{"format", Column::text},
                   {"PMF, as printed", Column::number},
                   {"PMF, corrected", Column::number},
                   {"ours", Column::number}}};
  if (r.bench)
    table.head.emplace_back("measured", Column::number);
  for (const Row &row : rows) {
    const Candidate *own = bestOf(r, row.format);
    HtmlRow cells{{row.name, shortTime(row.printed.ct), shortTime(row.corrected.ct),
                   own ? shortTime(own->predictedUs) : "-"}};
    if (r.bench)
      cells.cells.push_back(timeOrDash(own ? measuredUs(r.bench, own->plan) : 0));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

static HtmlTable stripsTable(const Reported &r) {
  HtmlTable table{{{"paper", Column::text},
                   {"kernel", Column::text},
                   {"as printed", Column::number},
                   {"corrected", Column::number},
                   {"not rounded", Column::number},
                   {"ours", Column::number}}};
  if (r.bench)
    table.head.emplace_back("measured", Column::number);
  for (const StripsKernelFacts &facts : stripsKernels()) {
    const auto us = [&](StripsVariant variant) {
      return optionalTime(stripsUs(facts.kernel, r.analysis.strips, r.gpu(), r.type(), variant));
    };
    const Candidate *own = bestOf(r, facts.format);
    HtmlRow cells{{nameOf(facts.paper), escaped(facts.title), us(StripsVariant::asPrinted),
                   us(StripsVariant::corrected), us(StripsVariant::unrounded),
                   own ? shortTime(own->predictedUs) : "-"}};
    if (r.bench)
      cells.cells.push_back(timeOrDash(own ? measuredUs(r.bench, own->plan) : 0));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string papersSection(const Reported &r) {
  const std::string k = llvm::formatv(
      "HYB's K is {0} by the PMF model on the device, {1} by its model as printed, and {2} by row "
      "share.",
      groupedCount(r.analysis.pmfK), groupedCount(r.analysis.asPrinted.hyb.k),
      groupedCount(r.analysis.strips.hybK));
  const std::string strips =
      r.gpu().benchmarks
          ? stripsTable(r).str()
          : htmlParagraph(
                "Strips (Guo and Wang 2012) and statistics (Wang, Gu and Li 2017) need the "
                "times of benchmark matrices, which the model " +
                escaped(r.gpu().name) + " does not have.");
  return htmlSection(
      "papers", "The papers' models beside ours",
      htmlParagraph("Times of a product on the device. Ours is the best plan of the format, which "
                    "chooses its parameters; a paper's model has fixed ones. No choice depends on "
                    "the papers' models.") +
          "<h3>Probability mass function (Li, Yang and Li 2015)</h3>\n" + pmfTable(r).str() +
          htmlParagraph(k) + "<h3>Strips and statistics</h3>\n" + strips);
}

// --- Roofline section ----------------------------------------------------------------------------

// Places the plans on the roofline of the GPU (Williams, Waterman and Patterson, "Roofline", 2009),
// and says what the predicted time is spent on.

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
