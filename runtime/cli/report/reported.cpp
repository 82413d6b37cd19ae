// Looks things up in what a report is about, and says in numbers what its top says in words.
#include "runtime/cli/report/sections.h"

#include "models/base/units.h"
#include "runtime/cli/plan_text.h"
#include "runtime/cli/report/html.h"
#include "runtime/explain/sentence.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv::cli {

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

} // namespace specmv::cli
