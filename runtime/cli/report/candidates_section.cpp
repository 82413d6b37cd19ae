// Compares all candidates: predicted times, measured ones where there are any, and why formats have
// no plan.
#include "runtime/cli/plan_text.h"
#include "runtime/cli/report/html.h"
#include "runtime/cli/report/sections.h"
#include "runtime/cli/report/svg.h"
#include "runtime/cli/report/words.h"

#include "models/base/units.h"
#include "runtime/plan/worth.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace specmv::cli {

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

} // namespace specmv::cli
