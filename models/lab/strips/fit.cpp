// Ordinary least squares over the times of benchmark matrices (Guo and Wang 2012, section III-F;
// Wang, Gu and Li 2017, section 3.2).
#include "models/lab/strips/fit.h"

#include "models/base/error.h"
#include "models/base/text.h"
#include "models/lab/strips/lines.h"

#include <set>

namespace specmv {

using llvm::Error;
using llvm::Expected;

// Returns "strips csr, fixed, f64"; every message begins with it.
static std::string titleOf(const BenchmarkTimes &of) {
  const StripsKernelFacts &facts = factsOf(of.kernel);
  return llvm::formatv("{0} {1}, {2}, {3}", nameOf(facts.paper), facts.name, nameOf(of.law),
                       nameOf(of.type));
}

static Error checkTimes(const BenchmarkTimes &of) {
  constexpr double kLeastUs = 1e-9, kMostUs = 1e9;
  std::set<std::pair<int64_t, int64_t>> seen;
  for (const BenchmarkTime &t : of.times) {
    const std::string where =
        llvm::formatv("{0}: I = {1}, P_NZ = {2}", titleOf(of), t.i, t.entriesOfRow);
    if (t.i < 1 || t.i > kMaxIndex || t.entriesOfRow < 1 || t.entriesOfRow > kMaxIndex)
      return fail(Status::badInput, "{0} is not a benchmark matrix: both must be in 1 .. {1}",
                  where, kMaxIndex);
    if (!(t.us >= kLeastUs && t.us <= kMostUs))
      return fail(Status::badInput, "{0} took {1} us, which is not in {2} .. {3}; measure it again",
                  where, decimalText(t.us), decimalText(kLeastUs), decimalText(kMostUs));
    if (!seen.insert({t.i, t.entriesOfRow}).second)
      return fail(Status::badInput, "{0} has two times; give one", where);
  }
  return Error::success();
}

// `over` describes the line: "over P_NZ at I = 40".
static Expected<LineModel> lineOf(const BenchmarkTimes &of, const std::string &over,
                                  const LinePoints &points) {
  const size_t distinct = countDistinct(points);
  if (distinct >= 2)
    return leastSquares(points);
  return fail(Status::badInput,
              "{0}: the line {1} needs benchmark matrices at two or more places, but has {2}; "
              "measure more matrices, with more entries",
              titleOf(of), over, distinct);
}

static Expected<double> timeAt(const BenchmarkTimes &of, const Crossing &at) {
  for (const BenchmarkTime &t : of.times)
    if (t.i == at.i && t.entriesOfRow == at.z)
      return t.us;
  return fail(
      Status::badInput,
      "{0}: the benchmark matrix I = {1}, P_NZ = {2}, which two lines have in common, is not "
      "among the {3} that were measured",
      titleOf(of), at.i, at.z, of.times.size());
}

// Strips, III-F.1, step 1.
static Expected<RatioLines> fitRegime(const BenchmarkTimes &of, const Crossing &at,
                                      const Regime &regime) {
  if (!regime.has(at.z))
    return fail(Status::badCall, "{0}: P_NZ = {1} is not in the regime {2} .. {3}", titleOf(of),
                at.z, regime.least, regime.most);
  Expected<double> common = timeAt(of, at);
  if (!common)
    return common.takeError();
  auto t = lineOf(of,
                  llvm::formatv("over P_NZ at I = {0} with P_NZ in {1} .. {2}", at.i, regime.least,
                                regime.most),
                  overEntries(of, at.i, regime));
  if (!t)
    return t.takeError();
  auto ofStrips = lineOf(of, llvm::formatv("over I at P_NZ = {0}", at.z), overStrips(of, at.z));
  if (!ofStrips)
    return ofStrips.takeError();
  return RatioLines{.i = static_cast<double>(at.i),
                    .z = static_cast<double>(at.z),
                    .a = t->slope,
                    .b = t->intercept,
                    .c = ofStrips->slope,
                    .d = ofStrips->intercept,
                    .t1 = *common};
}

static Expected<RatioModel> fitRatio(const BenchmarkTimes &of, const FitAt &at) {
  auto low = fitRegime(of, at.upTo1024, kUpTo1024);
  if (!low)
    return low.takeError();
  auto high = fitRegime(of, at.above1024, kAbove1024);
  if (!high)
    return high.takeError();
  return RatioModel{.upTo1024 = *low, .above1024 = *high};
}

// Each point is an I and the slope of the line over P_NZ at this I.
static LinePoints slopes(const BenchmarkTimes &of) {
  std::set<int64_t> strips;
  for (const BenchmarkTime &t : of.times)
    strips.insert(t.i);
  LinePoints out;
  for (const int64_t i : strips)
    if (const LinePoints points = overEntries(of, i, kBoth); points.size() >= 2)
      out.emplace_back(i, leastSquares(points).slope);
  return out;
}

// Strips, III-F.2, step 1.
static Expected<PlaneModel> fitPlane(const BenchmarkTimes &of, const FitAt &at) {
  auto e = lineOf(of, llvm::formatv("over I at P_NZ = {0}", at.x1), overStrips(of, at.x1));
  if (!e)
    return e.takeError();
  const LinePoints ofSlopes = slopes(of);
  if (ofSlopes.size() < 2)
    return fail(Status::badInput,
                "{0}: a slope over I needs two or more I with two or more P_NZ each; there are {1}",
                titleOf(of), ofSlopes.size());
  const LineModel f = leastSquares(ofSlopes);
  return PlaneModel{.x1 = static_cast<double>(at.x1),
                    .fSlope = f.slope,
                    .fIntercept = f.intercept,
                    .eSlope = e->slope,
                    .eIntercept = e->intercept};
}

// Strips, III-F.3: a benchmark matrix of I strips of rows has I x P_NZ strips of entries.
static Expected<LineModel> fitLine(const BenchmarkTimes &of) {
  LinePoints points;
  for (const BenchmarkTime &t : of.times)
    points.emplace_back(t.i * t.entriesOfRow, t.us);
  return lineOf(of, "over I x P_NZ", points);
}

template <class Model>
static Expected<Fitted> fittedBy(const BenchmarkTimes &of, Expected<Model> model) {
  if (!model)
    return model.takeError();
  return Fitted{.kernel = of.kernel, .law = of.law, .type = of.type, .model = *model};
}

Expected<Fitted> fitBenchmarks(const BenchmarkTimes &of, const FitAt &at) {
  if (Error error = checkTimes(of))
    return error;
  switch (factsOf(of.kernel).form) {
  case StripsForm::line:
    return fittedBy(of, fitLine(of));
  case StripsForm::plane:
    return fittedBy(of, fitPlane(of, at));
  case StripsForm::ratio:
    return fittedBy(of, fitRatio(of, at));
  case StripsForm::sum:
    break;
  }
  return fail(Status::badCall,
              "{0} has no benchmark matrices: it is priced by those of ell and coo", titleOf(of));
}

} // namespace specmv
