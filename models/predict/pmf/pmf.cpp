// Computes the moments of the PMF of the row lengths (Li, Yang and Li 2015, section 4.1), and from
// them the times of Algorithm 1.
#include "models/predict/pmf/formulas.h"

#include <cmath>
#include <numeric>

namespace specmv {

static double power(double base, Count exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2, base *= base)
    if (exponent % 2 == 1)
      result *= base;
  return result;
}

// 32 as printed: the mean of the W-fractiles.
static double meanFractile(const PmfInput &in, Count w) {
  std::vector<Count> a = fractiles(in.lengths, w);
  return static_cast<double>(std::accumulate(a.begin(), a.end(), Count{0})) /
         static_cast<double>(w);
}

// The mean of the longest of W rows drawn independently: the sum over k >= 0 of 1 - F(k)^W. F is
// constant from one length to the next.
static double meanLongest(const PmfInput &in, Count w) {
  double sum = 0, f = 0;
  Count previous = 0, seen = 0;
  for (const LengthCount &l : in.lengths) {
    sum += static_cast<double>(l.length - previous) * (1 - power(f, w));
    previous = l.length;
    seen += l.rows;
    f = static_cast<double>(seen) / static_cast<double>(in.rows);
  }
  return sum;
}

PmfMoments pmfMoments(const PmfInput &in, Count w, PmfVariant variant) {
  PmfMoments m{.rows = static_cast<double>(in.rows), .cols = static_cast<double>(in.cols)};
  if (in.lengths.empty())
    return m;
  HybSplit all = hybSplit(in.lengths, w, 0); // every row that is not empty
  m.entries = static_cast<double>(all.longEntries);
  m.nonEmpty = static_cast<double>(all.longRows);
  m.longest = static_cast<double>(in.lengths.back().length);
  bool printed = variant == PmfVariant::asPrinted;
  m.meanQ = printed ? meanFractile(in, w) : meanLongest(in, w);
  m.steps = printed ? std::ceil(m.entries / (m.rows * static_cast<double>(w)))
                    : static_cast<double>(all.longSteps) / m.rows;
  return m;
}

static PmfTime timeOf(PmfTime (*formula)(const PmfMoments &, const PmfSymbols &),
                      const PmfInput &in, const GpuModel &gpu, PmfVariant variant) {
  return formula(pmfMoments(in, gpu.warpSize, variant), pmfSymbols(gpu, in.type, variant));
}

PmfTime pmfCoo(const PmfInput &in, const GpuModel &gpu, PmfVariant variant) {
  return timeOf(cooTime, in, gpu, variant);
}

PmfTime pmfCsr(const PmfInput &in, const GpuModel &gpu, PmfVariant variant) {
  return timeOf(csrTime, in, gpu, variant);
}

PmfTime pmfEll(const PmfInput &in, const GpuModel &gpu, PmfVariant variant) {
  return timeOf(ellTime, in, gpu, variant);
}

PmfStorage pmfStorage(const PmfInput &in, const GpuModel &gpu, Count k, PmfVariant variant) {
  PmfMoments m = pmfMoments(in, gpu.warpSize, variant);
  PmfSymbols s = pmfSymbols(gpu, in.type, variant);
  HybSplit split = hybSplit(in.lengths, gpu.warpSize, k);
  return {.coo = cooBytes(m.entries, s),
          .csr = csrBytes(m, s),
          .ell = ellBytes(m.nonEmpty, m.longest, s),
          .hyb = hybBytes(m, split, split, s)};
}

const char *nameOf(PmfVariant variant) {
  return variant == PmfVariant::asPrinted ? "asPrinted" : "corrected";
}

template <class Time> static const char *leastOf(const PmfEstimate &e, const Time &time) {
  const double coo = time(e.coo), csr = time(e.csr), ell = time(e.ell);
  return coo <= csr && coo <= ell ? "COO" : csr <= ell ? "CSR" : "ELL";
}

PmfChoice pmfChoice(const PmfEstimate &estimate) {
  return {leastOf(estimate, [](const PmfTime &t) { return t.dtt + t.ct; }),
          leastOf(estimate, [](const PmfTime &t) { return t.ct; })};
}

PmfEstimate pmfEstimate(const PmfInput &in, const GpuModel &gpu, PmfVariant variant) {
  Count k = pmfHybK(in, gpu, variant);
  PmfHybTime hyb;
  static_cast<PmfTime &>(hyb) = pmfHyb(in, gpu, variant, k);
  hyb.k = k;
  return {.coo = pmfCoo(in, gpu, variant),
          .csr = pmfCsr(in, gpu, variant),
          .ell = pmfEll(in, gpu, variant),
          .hyb = hyb};
}

} // namespace specmv
