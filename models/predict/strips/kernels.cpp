// The table of the kernels that the strips and statistics papers model.
#include "models/predict/strips/kernels.h"

namespace specmv {

const char *nameOf(RowLaw law) {
  constexpr const char *kNames[] = {"fixed", "poisson", "uniform", "normal"};
  return kNames[static_cast<size_t>(law)];
}

const char *nameOf(StripsPaper paper) {
  return paper == StripsPaper::strips ? "strips" : "statistics";
}

// Strips, III-C.2. The paper prints the P_NZ of CSR and ELL as "4, 16 ... 1024, 2048 ...": read
// here as powers of 4 up to 1,024, then of 2, and ended at 8,192.
constexpr int64_t kTenStrips[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, kOneStrip[] = {1};
constexpr int64_t kRowsOfStrips[] = {4, 16, 64, 256, 1024, 2048, 4096, 8192};
constexpr int64_t kRowsOfCoo[] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100};
// Statistics, 3.1.
constexpr int64_t kFiftyStrips[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 35, 40, 45, 50};
constexpr int64_t kRowsOfCsrV[] = {4, 8, 16, 32, 64, 128, 256, 512, 1024, 1536, 2048, 2560, 3072};
constexpr int64_t kRowsOfStatistics[] = {4, 8, 16, 32, 64, 128, 256, 512, 1024};

constexpr RowLaw kFixed[] = {RowLaw::fixed};
// Among fixed, normal and uniform lengths, the statistics paper finds normal ones the most accurate
// for CSR-V, ELL and JAD (figures 7, 9, 10), and uniform ones for CSR-S (8). Poisson lengths are
// our addition.
constexpr RowLaw kNormalFirst[] = {RowLaw::normal, RowLaw::uniform, RowLaw::poisson, RowLaw::fixed};
constexpr RowLaw kUniformFirst[] = {RowLaw::uniform, RowLaw::normal, RowLaw::poisson,
                                    RowLaw::fixed};

// The statistics paper shows its lines at I = 40, P_NZ = 64 and 2,048 (figures 1 and 2) and, for
// planes, at P_NZ = 32 (figure 5). The strips paper gives no numbers: ours are the longest line
// over P_NZ and, among its P_NZ, those nearest to the other paper's.
constexpr FitAt kCrossOfCsr{.upTo1024 = {10, 64}, .above1024 = {10, 2048}};
constexpr FitAt kCrossOfCsrV{.upTo1024 = {40, 64}, .above1024 = {40, 2048}};
constexpr FitAt kPlaneOfStrips{.x1 = 64}, kPlaneOfStatistics{.x1 = 32};

// In the order of StripsKernel.
constexpr StripsKernelFacts kStripsKernels[] = {
    {StripsKernel::csr, StripsPaper::strips, "csr", "CSR", "csr-vector", 32, StripsForm::ratio,
     StripsUnit::warp, StripsRow::mode, kCrossOfCsr, kTenStrips, kRowsOfStrips, kFixed},
    {StripsKernel::ell, StripsPaper::strips, "ell", "ELL", "ell", 0, StripsForm::plane,
     StripsUnit::lane, StripsRow::longest, kPlaneOfStrips, kTenStrips, kRowsOfStrips, kFixed},
    {StripsKernel::coo,
     StripsPaper::strips,
     "coo",
     "COO",
     "coo",
     0,
     StripsForm::line,
     StripsUnit::thread,
     StripsRow::none,
     {},
     kOneStrip,
     kRowsOfCoo,
     kFixed},
    {StripsKernel::hyb,
     StripsPaper::strips,
     "hyb",
     "HYB",
     "hyb",
     0,
     StripsForm::sum,
     StripsUnit::lane,
     StripsRow::none,
     {},
     {},
     {},
     kFixed},
    {StripsKernel::csrV, StripsPaper::statistics, "csr-v", "CSR-V", "csr-vector", 16,
     StripsForm::ratio, StripsUnit::halfWarp, StripsRow::mode, kCrossOfCsrV, kFiftyStrips,
     kRowsOfCsrV, kNormalFirst},
    {StripsKernel::csrS, StripsPaper::statistics, "csr-s", "CSR-S", "csr-scalar", 0,
     StripsForm::plane, StripsUnit::thread, StripsRow::longest, kPlaneOfStatistics, kTenStrips,
     kRowsOfStatistics, kUniformFirst},
    {StripsKernel::ellOfStatistics, StripsPaper::statistics, "ell", "ELL", "ell", 0,
     StripsForm::plane, StripsUnit::thread, StripsRow::longest, kPlaneOfStatistics, kTenStrips,
     kRowsOfStatistics, kNormalFirst},
    {StripsKernel::jad, StripsPaper::statistics, "jad", "JAD", "jad", 0, StripsForm::plane,
     StripsUnit::thread, StripsRow::longest, kPlaneOfStatistics, kTenStrips, kRowsOfStatistics,
     kNormalFirst},
};

std::span<const StripsKernelFacts> stripsKernels() { return kStripsKernels; }

const StripsKernelFacts &factsOf(StripsKernel kernel) {
  return kStripsKernels[static_cast<size_t>(kernel)];
}

int64_t stripSize(StripsKernel kernel, const GpuModel &gpu) {
  switch (factsOf(kernel).unit) {
  case StripsUnit::warp:
    return gpu.sms * gpu.warpsPerSm;
  case StripsUnit::halfWarp:
    return gpu.sms * 2 * gpu.warpsPerSm;
  case StripsUnit::lane:
    return gpu.sms * gpu.warpsPerSm * gpu.warpSize;
  case StripsUnit::thread:
    break;
  }
  return gpu.sms * gpu.threadsPerSm;
}

std::vector<BenchmarkMatrix> benchmarkMatrices(StripsKernel kernel, const GpuModel &gpu,
                                               int64_t mostEntries) {
  const StripsKernelFacts &facts = factsOf(kernel);
  std::vector<BenchmarkMatrix> out;
  for (const int64_t i : facts.strips) {
    const int64_t rows = stripSize(kernel, gpu) * i;
    for (const int64_t entriesOfRow : facts.entriesOfRow)
      if (entriesOfRow <= mostEntries / rows)
        out.push_back({i, entriesOfRow, rows});
  }
  return out;
}

} // namespace specmv
