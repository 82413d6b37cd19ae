// Computes times by the models of strips (Guo and Wang 2012) and statistics (Wang, Gu and Li 2017).
#include "models/predict/strips/strips.h"

#include "models/base/numbers.h"
#include "models/predict/pmf/formulas.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace specmv {

const char *nameOf(StripsVariant variant) {
  constexpr const char *kNames[] = {"asPrinted", "corrected", "unrounded"};
  return kNames[static_cast<size_t>(variant)];
}

int64_t hybThresholdOfRowShare(const SparsityProfile &p) {
  // A third of the rows, rounded up.
  const int64_t share = std::max<int64_t>(4096, ceilDiv(p.rows, 3));
  int64_t k = 0, reaching = p.rows;
  for (const LengthCount &l : p.lengths) {
    if (reaching < share)
      break;
    k = l.length;
    reaching -= l.rows;
  }
  return k;
}

StripsTarget stripsTarget(const SparsityProfile &p) {
  const RowStatistics rows = rowStatistics(p);
  const Count k = hybThresholdOfRowShare(p);
  return {.rows = p.rows,
          .entries = p.nnz,
          .mode = rows.mode,
          .longest = rows.max,
          .hybK = k,
          .hybEntries = hybSplit(p.lengths, 1, k).overflow()};
}

double stripsOf(StripsKernel kernel, const GpuModel &gpu, Count amount, StripsVariant variant) {
  const int64_t size = stripSize(kernel, gpu);
  if (variant == StripsVariant::unrounded)
    return static_cast<double>(amount) / static_cast<double>(size);
  return static_cast<double>(ceilDiv(amount, size)); // strips III-E.1, statistics (6)
}

namespace {
struct RatioTimes {
  double t0, t1, t2;
};
} // namespace

static RatioTimes ratioTimes(const RatioModel &m, double x, double y) {
  const RatioLines &lines = x <= kRegimeEnd ? m.upTo1024 : m.above1024;
  return {.t0 = lines.a * x + lines.b, .t1 = lines.t1, .t2 = lines.c * y + lines.d};
}

namespace {
// Computes T of X entries per row and Y strips, for each form.
struct Formula {
  double x, y;
  bool isYForX1; // the strips paper's misprint

  double operator()(const LineModel &m) const { return m.slope * y + m.intercept; } // III-F.3
  double operator()(const PlaneModel &m) const { // III-F.2; statistics 3.2.2
    const double f = m.fSlope * y + m.fIntercept, e = m.eSlope * y + m.eIntercept;
    const double g = e - f * (isYForX1 ? y : m.x1);
    return f * x + g;
  }
  double operator()(const RatioModel &m) const { // III-F.1; statistics 3.2.1
    const RatioTimes t = ratioTimes(m, x, y);
    return t.t0 / t.t1 * t.t2;
  }
};
} // namespace

double stripsFormula(const Fitted &fitted, double x, double y, StripsVariant variant) {
  const bool isYForX1 = variant == StripsVariant::asPrinted && fitted.kernel == StripsKernel::ell;
  return std::visit(Formula{x, y, isYForX1}, fitted.model);
}

static const Fitted *fittedOf(StripsKernel kernel, const GpuModel &gpu, ValueType type,
                              const std::optional<RowLaw> &asked = {}) {
  if (!gpu.benchmarks)
    return nullptr;
  const auto laws = factsOf(kernel).laws;
  for (const RowLaw law : laws)
    for (const Fitted &f : gpu.benchmarks->fitted)
      if (f.kernel == kernel && f.law == law && f.type == type &&
          (laws.size() == 1 || law == asked.value_or(law)))
        return &f;
  return nullptr;
}

namespace {
// A matrix, or its part in HYB, as one kernel sees it.
struct HybPart {
  Count rows, entries, entriesOfRow;
};
} // namespace

// If both lines are below 0, their product is positive but is not a time.
static bool isBelowBoth(const Fitted &fitted, double x, double y) {
  const auto *const ratio = std::get_if<RatioModel>(&fitted.model);
  if (!ratio)
    return false;
  const RatioTimes t = ratioTimes(*ratio, x, y);
  return t.t0 < 0 && t.t2 < 0;
}

static std::optional<double> partUs(const Fitted &fitted, const HybPart &part, const GpuModel &gpu,
                                    StripsVariant variant) {
  const bool isOfEntries = factsOf(fitted.kernel).form == StripsForm::line;
  const Count amount = isOfEntries ? part.entries : part.rows;
  const auto x = static_cast<double>(part.entriesOfRow);
  const double y = stripsOf(fitted.kernel, gpu, amount, variant);
  const double us = stripsFormula(fitted, x, y, variant);
  return us > 0 && !isBelowBoth(fitted, x, y) ? std::optional(us) : std::nullopt;
}

static Count entriesOfRow(StripsRow row, const StripsTarget &t) {
  return row == StripsRow::mode ? t.mode : row == StripsRow::longest ? t.longest : 0;
}

// III-F.4: the sum of both parts. A part without entries is not launched and costs nothing.
static std::optional<double> hybUs(const StripsTarget &t, const GpuModel &gpu, ValueType type,
                                   StripsVariant variant) {
  const Fitted *const ell = fittedOf(StripsKernel::ell, gpu, type);
  const Fitted *const coo = fittedOf(StripsKernel::coo, gpu, type);
  if (!ell || !coo)
    return std::nullopt;
  std::optional<double> ofEll = 0, ofCoo = 0;
  if (t.hybK > 0)
    ofEll = partUs(*ell, {t.rows, t.entries - t.hybEntries, t.hybK}, gpu, variant);
  if (t.hybEntries > 0)
    ofCoo = partUs(*coo, {t.rows, t.hybEntries, 0}, gpu, variant);
  return ofEll && ofCoo && *ofEll + *ofCoo > 0 ? std::optional(*ofEll + *ofCoo) : std::nullopt;
}

std::optional<double> stripsUs(StripsKernel kernel, const StripsTarget &t, const GpuModel &gpu,
                               ValueType type, const StripsReading &reading) {
  if (factsOf(kernel).form == StripsForm::sum)
    return hybUs(t, gpu, type, reading.variant);
  const Fitted *const fitted = fittedOf(kernel, gpu, type, reading.law);
  if (!fitted)
    return std::nullopt;
  return partUs(*fitted, {t.rows, t.entries, entriesOfRow(factsOf(kernel).row, t)}, gpu,
                reading.variant);
}

// The models do not price a plan that the user gave another width or threshold.
static bool isKernelOf(const StripsKernelFacts &facts, const Plan &plan, const StripsTarget &t) {
  return plan.format == facts.format && plan.get(key::kCsrLanes, 0) == facts.lanes &&
         plan.get(key::kEllWidth, t.longest) == t.longest && plan.get(key::kHybK, t.hybK) == t.hybK;
}

StripsPrediction stripsPrediction(const Plan &plan, const StripsTarget &target, const GpuModel &gpu,
                                  ValueType type, const StripsReading &reading) {
  StripsPrediction out;
  for (const StripsKernelFacts &facts : stripsKernels())
    if (isKernelOf(facts, plan, target))
      (facts.paper == StripsPaper::strips ? out.strips : out.statistics) =
          stripsUs(facts.kernel, target, gpu, type, reading);
  return out;
}

std::optional<RowLaw> stripsLaw(StripsKernel kernel, const GpuModel &gpu, ValueType type) {
  const Fitted *const fitted = fittedOf(kernel, gpu, type);
  return fitted ? std::optional(fitted->law) : std::nullopt;
}

} // namespace specmv
