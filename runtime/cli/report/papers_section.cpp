// Puts the predictions of the papers' models beside ours.
#include "runtime/cli/report/html.h"
#include "runtime/cli/report/sections.h"

#include "models/base/units.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv::cli {

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

} // namespace specmv::cli
