// The sections about the set-up and the source, and the page of all sections.
#include "runtime/cli/report/sections.h"

#include "generator/source/specialized.h"
#include "models/base/text.h"
#include "runtime/cli/emit/emitted.h"
#include "runtime/cli/report/html.h"
#include "runtime/cli/why.h"
#include "runtime/explain/sentence.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

namespace specmv::cli {

// --- Reported ------------------------------------------------------------------------------------

// Looks things up in what a report is about, and says in numbers what its top says in words.

double measuredUs(const std::optional<MatrixBench> &bench, const Plan &plan) {
  if (!bench)
    return 0;
  for (const BenchLine &line : bench->lines) {
    if (line.us > 0 && line.plan == plan)
      return line.us;
    for (const PlanTime &time : line.plans)
      if (time.plan == plan)
        return time.us;
  }
  return 0;
}

std::vector<const Candidate *> Reported::bestOfFormats() const {
  std::vector<const Candidate *> out;
  const auto &candidates = analysis.seen.ranked.candidates;
  for (const Candidate &c : llvm::ArrayRef(candidates).drop_front(analysis.fit.index))
    if (llvm::none_of(out, [&](const Candidate *o) { return o->plan.format == c.plan.format; }))
      out.push_back(&c);
  return out;
}

const char *Reported::basis() const {
  return measuredUs(bench, chosen().plan) > 0 ? "measured" : "predicted";
}

static std::string tile(llvm::StringRef value, llvm::StringRef name) {
  return llvm::formatv("<div class=\"tile\"><b>{0}</b><span>{1}</span></div>\n", escaped(value),
                       escaped(name));
}

static std::string afterProducts(int64_t products) {
  return products == kNever ? "never" : groupedCount(products);
}

static std::string tilesOf(const Reported &r) {
  const Explanation &why = r.why;
  const double measured = measuredUs(r.bench, r.chosen().plan);
  std::string out = tile(r.chosen().plan.format, "chosen format");
  out += tile(shortTime(r.chosen().predictedUs), "a product, predicted");
  if (measured > 0)
    out += tile(shortTime(measured), "a product, measured");
  if (why.cusparse)
    out += tile(llvm::formatv("{0:f2} x", why.cusparse->us / std::max(1e-9, why.productUs)).str(),
                "as fast as the best of cuSPARSE");
  out += tile(llvm::formatv("{0:f2}", why.ofCsrBytes).str(), "of CSR's bytes");
  return out + tile(afterProducts(why.paysAfter), "products until the set-up pays, kernels loaded");
}

std::string whySection(const Reported &r) {
  const GpuModel &gpu = r.gpu();
  const std::string where =
      r.bench
          ? llvm::formatv("Products were measured on this machine's GPU; predictions are by the "
                          "model {0}.",
                          gpu.name)
                .str()
          : llvm::formatv("Nothing was measured: all times are predicted for the GPU model {0}.",
                          gpu.name)
                .str();
  return htmlSection(
      "why", "Why this plan",
      "<p class=\"lead\">" + escaped(whySentence(r.why)) + "</p>\n<div class=\"tiles\">\n" +
          tilesOf(r) + "</div>\n" +
          htmlParagraph("<b>Gain:</b> " + escaped(gainSentence(r.why)) + ".") +
          htmlParagraph("<b>Set-up:</b> pays " + escaped(paysSentence(r.why)) + ".") +
          htmlParagraph("<b>Plan:</b> <code>" + escaped(planText(r.chosen().plan)) + "</code>") +
          htmlParagraph(escaped(where)));
}

// --- Setup section -------------------------------------------------------------------------------

// Says what the set-up costs stage by stage, and after how many products it has paid.

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

// --- Source section ------------------------------------------------------------------------------

// Shows the source that was emitted for the plan, with its constants marked.

static bool isOfWord(char c) { return llvm::isAlnum(c) || c == '_'; }

// Returns the length of the number that begins here, with its sign and its exponent; 0 if there is
// none. A digit in a word, as in float4, begins no number.
static size_t numberAt(llvm::StringRef text, size_t at) {
  size_t end = at;
  if (text[end] == '-' && end + 1 < text.size())
    ++end;
  if (!llvm::isDigit(text[end]) || (at > 0 && (isOfWord(text[at - 1]) || text[at - 1] == '.')))
    return 0;
  while (end < text.size() && (isOfWord(text[end]) || text[end] == '.' ||
                               ((text[end] == '-' || text[end] == '+') &&
                                llvm::StringRef("eEpP").contains(text[end - 1]))))
    ++end;
  return end - at;
}

static std::string withMarkedNumbers(llvm::StringRef source) {
  std::string out;
  for (size_t at = 0, plain = 0; at <= source.size(); ++at) {
    const size_t size = at < source.size() ? numberAt(source, at) : 0;
    if (size == 0 && at < source.size())
      continue;
    out += escaped(source.slice(plain, at));
    if (size > 0)
      out += "<mark>" + escaped(source.substr(at, size)) + "</mark>";
    plain = at + size;
    at = size > 0 ? plain - 1 : at;
  }
  return out;
}

// Marks the enumerators of the plan and the elements of its lists.
static std::string withMarkedConstants(llvm::StringRef source) {
  std::string out;
  bool isPlan = false;
  for (const llvm::StringRef line : llvm::split(source, '\n')) {
    isPlan = line.starts_with("struct ") ? line.ends_with("Plan {") : isPlan && line != "};";
    const bool isMarked = isPlan || line.contains("__launch_bounds__");
    const auto [code, comment] = line.split("//");
    out += (isMarked ? withMarkedNumbers(code) : escaped(code)) +
           escaped(line.drop_front(code.size())) + "\n";
  }
  return out;
}

std::string sourceSection(const Reported &r) {
  const Plan &plan = r.chosen().plan;
  const Format &format = *findFormat(plan.format);
  if (format.library)
    return htmlSection("source", "The emitted source",
                       htmlParagraph(escaped(plan.format) + " is a call of " +
                                     escaped(format.library) + ", so there is no source."));
  const Problem &problem = r.analysis.request.problem;
  const Emitted emitted{.a = r.a,
                        .problem = problem,
                        .plan = plan,
                        .layout = r.layout,
                        .steps = format.stepsFor(plan, problem, r.layout),
                        .several = {},
                        .source = format.sourceFor(plan, problem),
                        .signature = r.analysis.seen.profiled.signature,
                        .arch = r.analysis.machine.arch,
                        .call = "specmv report"};
  return htmlSection(
      "source", "The emitted source",
      htmlParagraph("As the compiler gets it. The numbers for which the kernel is specialized are "
                    "marked.") +
          "<pre>" + escaped(headerOf(emitted)) +
          withMarkedConstants(specializedText(emitted.source.text, emitted.arch)) + "</pre>\n");
}

// --- Page ----------------------------------------------------------------------------------------

// Puts the sections about a matrix together on a page.

static std::string headerOf(const Reported &r) {
  const CsrMatrix &m = r.a.matrix;
  return llvm::formatv("{0} x {1}, {2} entries, {3}; signature {4}; planned for {5} ({6}); "
                       "specmv {7}",
                       groupedCount(m.rows), groupedCount(m.cols), groupedCount(m.nnz()),
                       nameOf(r.type()), r.analysis.seen.profiled.signature, r.gpu().name,
                       r.analysis.machine.arch, SPECMV_VERSION_TEXT);
}

std::string reportPage(const Reported &r) {
  std::vector<PageSection> sections{{"why", "Why", whySection(r)},
                                    {"spy", "Entries", spySection(r)},
                                    {"rows", "Rows", rowsSection(r)},
                                    {"structure", "Structure", structureSection(r)},
                                    {"candidates", "Candidates", candidatesSection(r)},
                                    {"roofline", "Roofline", rooflineSection(r)}};
  if (r.counted)
    sections.push_back({"counters", "Counters", countersSection(r)});
  llvm::append_range(sections, std::vector<PageSection>{{"bytes", "Bytes", bytesSection(r)},
                                                        {"setup", "Set-up", setupSection(r)},
                                                        {"papers", "Papers", papersSection(r)},
                                                        {"source", "Source", sourceSection(r)}});
  return wholePage(r.a.matrix.name, headerOf(r), sections);
}

} // namespace specmv::cli
