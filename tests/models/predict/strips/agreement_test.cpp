// Compares the models of strips and statistics with a second implementation, on random benchmark
// times and random matrices.
#include "tests/models/length_counts.h"
#include "tests/models/predict/strips/second_implementation.h"
#include "tests/models/predict/strips/strips_testing.h"

#include <cmath>
#include <random>

using namespace specmv;

namespace {

struct KernelPair {
  StripsKernel ours;
  paper::Kernel theirs;
};
constexpr KernelPair kKernelPairs[] = {{StripsKernel::csr, paper::Kernel::stripsCsr},
                                       {StripsKernel::ell, paper::Kernel::stripsEll},
                                       {StripsKernel::coo, paper::Kernel::stripsCoo},
                                       {StripsKernel::csrV, paper::Kernel::statCsrV},
                                       {StripsKernel::csrS, paper::Kernel::statCsrS},
                                       {StripsKernel::ellOfStatistics, paper::Kernel::statEll},
                                       {StripsKernel::jad, paper::Kernel::statJad}};

constexpr std::pair<StripsVariant, paper::Reading> kReadings[] = {
    {StripsVariant::asPrinted, paper::Reading::asPrinted},
    {StripsVariant::corrected, paper::Reading::corrected},
    {StripsVariant::unrounded, paper::Reading::unrounded}};

constexpr double kTolerance = 1e-12; // relative

class Draws {
public:
  explicit Draws(uint64_t seed) : bits_(seed) {}

  int64_t whole(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(bits_() % static_cast<uint64_t>(most - least + 1));
  }
  double real(double least, double most) {
    return least + (most - least) * static_cast<double>(bits_() >> 11) * 0x1p-53;
  }

private:
  std::mt19937_64 bits_;
};

// Draws a GPU of any shape, in which a warp may not have 32 threads.
GpuModel drawnGpu(Draws &draws) {
  GpuModel gpu;
  gpu.sms = draws.whole(1, 9), gpu.warpsPerSm = draws.whole(4, 64);
  gpu.threadsPerSm = draws.whole(0, 1) ? 32 * gpu.warpsPerSm : draws.whole(100, 2048);
  gpu.benchmarks = Benchmarks{"drawn", {}};
  return gpu;
}

paper::Gpu theirs(const GpuModel &gpu) { return {gpu.sms, gpu.warpsPerSm, gpu.threadsPerSm}; }

// Times near a saddle, with up to a tenth of noise; a seventh of the matrices are left out.
BenchmarkTimes drawnTimes(Draws &draws, StripsKernel kernel) {
  const double a = draws.real(0.01, 1), b = draws.real(0, 5), c = draws.real(0, 20),
               d = draws.real(1, 50);
  BenchmarkTimes out = timesBy(
      kernel,
      [&](double y, double x) { return ((a * y + b) * x + c * y + d) * draws.real(1, 1.1); },
      factsOf(kernel).laws[0]);
  llvm::erase_if(out.times, [&](const BenchmarkTime &) { return draws.whole(0, 6) == 0; });
  return out;
}

std::vector<paper::Point> pointsOf(const BenchmarkTimes &of) {
  const bool isOfEntries = factsOf(of.kernel).form == StripsForm::line;
  std::vector<paper::Point> out;
  for (const BenchmarkTime &t : of.times) // one strip of rows, P_NZ of entries
    out.push_back({static_cast<double>(isOfEntries ? t.i * t.entriesOfRow : t.i),
                   static_cast<double>(t.entriesOfRow), t.us});
  return out;
}

// Up to 20,000 rows: one common length, often close to where regimes meet, some other lengths, and
// occasionally longer or empty rows.
std::vector<Count> drawnLengths(Draws &draws) {
  const Count common = draws.whole(0, 3) ? draws.whole(0, 1300) : draws.whole(1023, 1025);
  std::vector<Count> out(static_cast<size_t>(draws.whole(1, 20000)), common);
  const Count longest = draws.whole(1, draws.whole(0, 3) ? 60 : 9000);
  for (Count &length : out)
    if (draws.whole(0, 2) == 0)
      length = draws.whole(0, longest);
  return out;
}

SparsityProfile profileOfRows(const std::vector<Count> &rows) {
  SparsityProfile p;
  p.rows = static_cast<Count>(rows.size());
  for (const Count length : rows)
    p.nnz += length;
  p.lengths = lengthCounts(rows);
  return p;
}

double secondTime(const KernelPair &pair, const BenchmarkTimes &of, const FitAt &at, double x,
                  double y, paper::Reading reading) {
  const std::vector<paper::Point> points = pointsOf(of);
  switch (factsOf(pair.ours).form) {
  case StripsForm::ratio: // the lines of its regime, as for each regime its own strips are fixed
    return paper::ratioTime(points, static_cast<double>(x <= 1024 ? at.upTo1024.i : at.above1024.i),
                            static_cast<double>(at.upTo1024.z), static_cast<double>(at.above1024.z),
                            x, y);
  case StripsForm::plane:
    return paper::planeTime(points, static_cast<double>(at.x1), x, y, pair.theirs, reading);
  case StripsForm::line:
  case StripsForm::sum:
    break;
  }
  return paper::lineTime(points, y);
}

void checkNear(double ours, double theirs) {
  CHECK(std::abs(ours - theirs) <= kTolerance * std::abs(theirs));
}

void checkAgreement(const KernelPair &pair, Draws &draws, int &priced) {
  const GpuModel drawn = drawnGpu(draws);
  const BenchmarkTimes of = drawnTimes(draws, pair.ours);
  const std::vector<Count> rows = drawnLengths(draws);
  const StripsTarget target = stripsTarget(profileOfRows(rows));
  GpuModel gpu = drawn;
  gpu.benchmarks->fitted = {fit(of)};
  CHECK(stripSize(pair.ours, gpu) == paper::stripSize(pair.theirs, theirs(gpu)));
  for (const auto &[variant, reading] : kReadings) {
    const double y =
        paper::stripsOf(pair.theirs, theirs(gpu), target.rows, target.entries, reading);
    const auto x = static_cast<double>(paper::perRowOf(pair.theirs, rows));
    const double expected = secondTime(pair, of, fitAtOf(of), x, y, reading);
    checkNear(stripsFormula(gpu.benchmarks->fitted[0], x, y, variant), expected);
    if (const auto us = stripsUs(pair.ours, target, gpu, of.type, variant)) {
      checkNear(*us, expected);
      ++priced;
    }
  }
}

} // namespace

TEST_CASE("strips: both implementations agree on each kernel") {
  for (const KernelPair &pair : kKernelPairs) {
    int priced = 0;
    for (uint64_t seed = 0; seed < 100; ++seed) {
      CAPTURE(factsOf(pair.ours).title);
      CAPTURE(seed);
      Draws draws(seed);
      checkAgreement(pair, draws, priced);
    }
    CHECK(priced > 200);
  }
}

TEST_CASE("strips: both implementations agree on HYB and its threshold") {
  int priced = 0, cut = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Draws draws(seed);
    GpuModel gpu = drawnGpu(draws);
    const BenchmarkTimes ell = drawnTimes(draws, StripsKernel::ell);
    const BenchmarkTimes coo = drawnTimes(draws, StripsKernel::coo);
    gpu.benchmarks->fitted = {fit(ell), fit(coo)};
    const std::vector<Count> rows = drawnLengths(draws);
    const StripsTarget target = stripsTarget(profileOfRows(rows));
    CHECK(target.hybK == paper::hybThreshold(rows));
    cut += target.hybK > 0 && target.hybEntries > 0;
    for (const auto &[variant, reading] : kReadings)
      if (const auto us = stripsUs(StripsKernel::hyb, target, gpu, ell.type, variant)) {
        checkNear(*us, paper::hybTime(pointsOf(ell), static_cast<double>(fitAtOf(ell).x1),
                                      pointsOf(coo), theirs(gpu), rows, reading));
        ++priced;
      }
  }
  CHECK(priced > 400);
  CHECK(cut > 50);
}
