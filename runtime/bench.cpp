// Measures a matrix: the plans of each format, the choice and cuSPARSE, one after another on the
// same vectors, each product checked and run five times for equal bits.
#include "runtime/bench.h"

#include "runtime/checked_product.h"
#include "runtime/measure.h"

#include <algorithm>
#include <cstring>

namespace specmv {

// Runs whose results must agree to the bit for a format to be called deterministic.
constexpr int kRepeats = 5;

// A wrong product is never the fastest.
static const BenchLine *fastest(const std::vector<BenchLine> &lines) {
  const BenchLine *least = nullptr;
  for (const BenchLine &line : lines) {
    const bool counts = line.us > 0 && (line.verified || !findFormat(line.format));
    if (counts && (!least || line.us < least->us))
      least = &line;
  }
  return least;
}

const BenchLine *MatrixBench::best() const { return fastest(lines); }

const BenchLine *MatrixBench::chosen() const {
  auto found =
      std::find_if(lines.begin(), lines.end(), [](const BenchLine &l) { return l.chosen; });
  return found == lines.end() ? nullptr : &*found;
}

namespace {

// What the plans of one matrix are measured with.
struct Bench {
  const CsrView &a;
  const Request &request;
  Machine &machine;
  DeviceVectors vectors;
  Verifier verifier;

  Enqueue enqueue(const Built &built) const {
    return
        [&] { return built.product->run(1, vectors.x.pointer(), 0, vectors.y.pointer(), nullptr); };
  }
};

llvm::Expected<bool> isDeterministic(const Bench &bench, const Built &built) {
  std::vector<std::byte> first(bench.vectors.y.bytes()), again(first.size());
  for (int i = 0; i < kRepeats; ++i) {
    if (llvm::Error error = bench.enqueue(built)())
      return error;
    std::vector<std::byte> &to = i == 0 ? first : again;
    if (llvm::Error error =
            bench.machine.gpu->download(to.data(), bench.vectors.y.pointer(), to.size()))
      return error;
    if (i > 0 && first != again)
      return false;
  }
  return true;
}

llvm::Error measureLine(const Bench &bench, Built &built, BenchLine &line) {
  auto us = measureWarm(*bench.machine.gpu, bench.enqueue(built));
  if (!us)
    return us.takeError();
  auto usCold = measureCold(*bench.machine.gpu, bench.enqueue(built));
  if (!usCold)
    return usCold.takeError();
  auto deterministic = isDeterministic(bench, built);
  if (!deterministic)
    return deterministic.takeError();
  auto checked = bench.verifier.check(checkedProduct(bench.a, bench.machine, built));
  if (!checked)
    return checked.takeError();
  line.us = *us, line.usCold = *usCold;
  line.deterministic = *deterministic;
  line.verified = checked->passed();
  line.maxErrorRatio = std::max(checked->exact.maxErrorRatio, checked->rounded.maxErrorRatio);
  return llvm::Error::success();
}

llvm::Expected<BenchLine> linePerPlan(const Bench &bench, const Plan &plan) {
  BenchLine line{.format = plan.format, .plan = plan};
  std::vector<std::string> warnings;
  auto built = build(bench.a, plan, bench.request.problem, bench.machine, line.setup, warnings);
  if (!built) {
    line.why = describe(built.takeError()).second;
    return line;
  }
  line.storedBytes = built->layout.storedBytes();
  if (llvm::Error error = measureLine(bench, *built, line))
    return error;
  return line;
}

// The plans of a format in the order of their predictions: the first, or all.
std::vector<Candidate> candidatesOf(const Offer &offer, const Specialized &s, Rigor rigor) {
  std::vector<Candidate> out;
  for (const Candidate &c : s.candidates)
    if (c.plan.format == offer.format->name && (out.empty() || rigor != Rigor::estimate))
      out.push_back(c);
  return out;
}

llvm::Expected<BenchLine> linePerFormat(const Bench &bench, const Specialized &s,
                                        const Offer &offer) {
  std::vector<BenchLine> lines;
  std::vector<PlanTime> times;
  for (const Candidate &candidate : candidatesOf(offer, s, bench.request.rigor)) {
    auto line = linePerPlan(bench, candidate.plan);
    if (!line)
      return line;
    times.push_back({candidate.plan, candidate.predictedUs, line->us, line->verified});
    lines.push_back(std::move(*line));
  }
  const BenchLine *best = fastest(lines);
  BenchLine out = best ? *best : BenchLine{.format = offer.format->name};
  if (!best)
    out.why = lines.empty()               ? offer.why
              : lines.front().why.empty() ? "the product is wrong"
                                          : lines.front().why;
  out.plans = std::move(times);
  return out;
}

// Marks the line of what specialize() would take: the best prediction that can be built. Where a
// faster plan of the same format stands in the table, the choice gets a line of its own.
llvm::Error markChosen(const Bench &bench, const Specialized &s, std::vector<BenchLine> &lines) {
  for (const Candidate &candidate : s.candidates) {
    const std::string text = candidate.plan.text();
    auto found = std::find_if(lines.begin(), lines.end(), [&](const BenchLine &line) {
      return line.why.empty() && line.plan.text() == text;
    });
    if (found != lines.end()) {
      found->chosen = true;
      return llvm::Error::success();
    }
    auto line = linePerPlan(bench, candidate.plan);
    if (!line)
      return line.takeError();
    if (!line->why.empty())
      continue;
    line->chosen = true;
    line->setup.profile = s.setup.profile;
    line->setup.predict = s.setup.predict;
    lines.push_back(std::move(*line));
    return llvm::Error::success();
  }
  return llvm::Error::success();
}

void addCusparse(MatrixBench &out) {
  for (const YardstickTime &time : out.cusparse.times) {
    BenchLine line{.format = time.name};
    line.plan.format = time.name;
    line.us = time.us, line.usCold = time.usCold;
    line.setup.load = time.setupMs;
    out.lines.push_back(std::move(line));
  }
}

} // namespace

llvm::Expected<MatrixBench> benchMatrix(const CsrView &a, const Request &request, Machine &machine,
                                        double copyGBs) {
  auto s = analyze(a, request, machine);
  if (!s)
    return s.takeError();
  auto vectors = DeviceVectors::make(*machine.gpu, a.rows, a.cols, a.valueType);
  if (!vectors)
    return vectors.takeError();
  Bench bench{a, request, machine, std::move(*vectors),
              Verifier(a, request.problem.betaCanBeNonZero)};
  MatrixBench out;
  out.csrBytes = csrBytes(a);
  out.indexFreeBytes = (a.nnz + a.rows + a.cols) * static_cast<int64_t>(sizeOf(a.valueType));
  out.copyGBs = copyGBs;

  for (const Offer &offer : s->offers) {
    auto line = linePerFormat(bench, *s, offer);
    if (!line)
      return line.takeError();
    line->setup.profile = s->setup.profile;
    line->setup.predict = s->setup.predict;
    out.lines.push_back(std::move(*line));
  }
  if (llvm::Error error = markChosen(bench, *s, out.lines))
    return error;
  auto cusparse = measureCusparse(machine.gpu, a, bench.vectors.x.pointer(),
                                  bench.vectors.y.pointer(), /*cold=*/true);
  if (!cusparse)
    return cusparse.takeError();
  out.cusparse = std::move(*cusparse);
  addCusparse(out);
  return out;
}

} // namespace specmv
