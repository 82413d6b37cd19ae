// Shows the models of PMF, strips and statistics in all their readings, so that a paper's numbers
// can be looked up beside ours.
#include "runtime/cli/analyze/papers.h"

#include "generator/formats/qcsr/qcsr.h"
#include "runtime/measure/stopwatch.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv::cli {

namespace json = llvm::json;

std::optional<Quadtree> quadtreeOf(const CsrView &a, const PlansFound &found) {
  for (const Candidate &candidate : found.seen.ranked.candidates)
    if (candidate.plan.format == "qcsr") {
      const Stopwatch clock;
      const int64_t d = candidate.plan.get(key::kQcsrD);
      // The paper prints no fill_in_ratio. With 1 no leaf is Full, which does not change the tree.
      const QcsrTree tree = qcsrTreeAsPrinted(a, d, 1);
      return Quadtree{d, tree, clock.milliseconds()};
    }
  return std::nullopt;
}

// --- PMF

static PmfInput pmfInput(const Analysis &a) {
  const SparsityProfile &p = a.seen.profiled.profile;
  return {p.lengths, p.rows, p.cols, a.request.problem.type};
}

static const PmfEstimate &estimateOf(const Analysis &a, PmfVariant variant) {
  return variant == PmfVariant::asPrinted ? a.asPrinted : a.corrected;
}

static PmfStorage storageOf(const Analysis &a, PmfVariant variant) {
  return pmfStorage(pmfInput(a), a.machine.model, estimateOf(a, variant).hyb.k, variant);
}

static void printPmf(llvm::raw_ostream &out, const Analysis &a, const char *name,
                     PmfVariant variant) {
  const PmfEstimate &e = estimateOf(a, variant);
  const PmfChoice choice = pmfChoice(e);
  const PmfStorage s = storageOf(a, variant);
  out << llvm::formatv("PMF model  {0}, us on the device: COO {1:f3}, CSR {2:f3}, ELL {3:f3}, HYB "
                       "{4:f3} at K = {5}\n",
                       name, e.coo.ct, e.csr.ct, e.ell.ct, e.hyb.ct, e.hyb.k)
      << llvm::formatv("           PMF would take {0} by T (with the copies to and from the GPU), "
                       "{1} by CT (on the device)\n",
                       choice.byT, choice.byCt)
      << llvm::formatv("           bytes: COO {0:f0}, CSR {1:f0}, ELL {2:f0}, HYB {3:f0}\n", s.coo,
                       s.csr, s.ell, s.hyb);
}

static json::Object pmfTimeJson(const PmfTime &time, double bytes) {
  return json::Object{{"ct", time.ct}, {"dtt", time.dtt}, {"bytes", bytes}};
}

static json::Object pmfReadingJson(const Analysis &a, PmfVariant variant) {
  const PmfEstimate &e = estimateOf(a, variant);
  const PmfStorage s = storageOf(a, variant);
  const PmfChoice choice = pmfChoice(e);
  json::Object hyb = pmfTimeJson(e.hyb, s.hyb);
  hyb["k"] = e.hyb.k;
  return json::Object{{"coo", pmfTimeJson(e.coo, s.coo)},
                      {"csr", pmfTimeJson(e.csr, s.csr)},
                      {"ell", pmfTimeJson(e.ell, s.ell)},
                      {"hyb", std::move(hyb)},
                      {"choice", json::Object{{"byT", choice.byT}, {"byCt", choice.byCt}}}};
}

// --- Strips and statistics

static std::optional<double> usBy(const Analysis &a, StripsKernel kernel,
                                  const StripsReading &reading) {
  return stripsUs(kernel, a.strips, a.machine.model, a.request.problem.type, reading);
}

// Returns "CSR-V 12.345 (normal)": the law of the benchmark matrices is added if a paper has
// several.
static std::string kernelText(const Analysis &a, const StripsKernelFacts &facts,
                              const StripsReading &reading) {
  const auto us = usBy(a, facts.kernel, reading);
  if (!us)
    return llvm::formatv("{0} -", facts.title);
  const auto own = stripsLaw(facts.kernel, a.machine.model, a.request.problem.type);
  const auto law = reading.law ? reading.law : own;
  return llvm::formatv("{0} {1:f3}{2}", facts.title, *us,
                       facts.laws.size() > 1 && law ? llvm::formatv(" ({0})", nameOf(*law)).str()
                                                    : "");
}

static void printReading(llvm::raw_ostream &out, const Analysis &a, StripsPaper paper,
                         const StripsReading &reading) {
  std::vector<std::string> texts;
  for (const StripsKernelFacts &facts : stripsKernels())
    if (facts.paper == paper)
      texts.push_back(kernelText(a, facts, reading));
  out << llvm::formatv("{0,-10} {1}, us on the device: {2}\n", nameOf(paper),
                       reading.variant == StripsVariant::asPrinted ? "as printed"
                                                                   : nameOf(reading.variant),
                       llvm::join(texts, ", "));
}

// The statistics paper's formulas have no misprint, so that as printed is corrected.
static void printStrips(llvm::raw_ostream &out, const Analysis &a) {
  if (!a.machine.model->benchmarks)
    return;
  for (const StripsVariant variant : kStripsVariants)
    printReading(out, a, StripsPaper::strips, {variant});
  for (const RowLaw law : kRowLaws)
    printReading(out, a, StripsPaper::statistics, {StripsVariant::corrected, law});
  printReading(out, a, StripsPaper::statistics, {StripsVariant::unrounded});
}

static json::Object timesJson(const Analysis &a, StripsPaper paper, const StripsReading &reading) {
  json::Object out;
  for (const StripsKernelFacts &facts : stripsKernels())
    if (facts.paper == paper) {
      const auto us = usBy(a, facts.kernel, reading);
      out[facts.name] = us ? json::Value(*us) : json::Value(nullptr);
    }
  return out;
}

static json::Object stripsJson(const Analysis &a) {
  json::Object out;
  for (const StripsVariant variant : kStripsVariants)
    out[nameOf(variant)] = timesJson(a, StripsPaper::strips, {variant});
  return out;
}

static json::Object statisticsJson(const Analysis &a) {
  json::Object out;
  for (const StripsVariant variant : kStripsVariants) {
    json::Object laws{{"own", timesJson(a, StripsPaper::statistics, {variant})}};
    for (const RowLaw law : kRowLaws)
      laws[nameOf(law)] = timesJson(a, StripsPaper::statistics, {variant, law});
    out[nameOf(variant)] = std::move(laws);
  }
  return out;
}

// --- QCSR

static json::Value quadtreeJson(const std::optional<Quadtree> &q) {
  if (!q)
    return nullptr;
  return json::Object{{"d", q->d},
                      {"depth", q->tree.depth},
                      {"innerNodes", q->tree.inner},
                      {"tiles", q->tree.tiles()},
                      {"empty", q->tree.empty},
                      {"bytes", qcsrTreeBytes(q->tree)},
                      {"buildMs", q->buildMs}};
}

void printPapers(llvm::raw_ostream &out, const Analysis &a) {
  printPmf(out, a, "as printed", PmfVariant::asPrinted);
  printPmf(out, a, "corrected", PmfVariant::corrected);
  printStrips(out, a);
  out << llvm::formatv(
      "HYB's K    {0} by the PMF model on the device; {1} as the largest K such that max(4096, "
      "N / 3) rows have K entries\n",
      a.pmfK, a.strips.hybK);
  if (const auto &q = a.quadtree)
    out << llvm::formatv(
        "quadtree   QCSR's as printed, for d = {0}: depth {1}, {2} inner nodes, {3} "
        "bytes in all (C_S), {4} tiles, {5} empty leaves; built in {6:f1} ms\n",
        q->d, q->tree.depth, q->tree.inner, qcsrTreeBytes(q->tree), q->tree.tiles(), q->tree.empty,
        q->buildMs);
}

void addPapers(json::Object &to, const Analysis &a) {
  to["pmf"] =
      json::Object{{nameOf(PmfVariant::asPrinted), pmfReadingJson(a, PmfVariant::asPrinted)},
                   {nameOf(PmfVariant::corrected), pmfReadingJson(a, PmfVariant::corrected)}};
  to["strips"] = stripsJson(a);
  to["statistics"] = statisticsJson(a);
  to["quadtree"] = quadtreeJson(a.quadtree);
}

} // namespace specmv::cli
