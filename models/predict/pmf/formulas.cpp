// The formulas of the PMF model for storage and time (Li, Yang and Li 2015, sections 4.2 and 4.3).
#include "models/predict/pmf/formulas.h"

#include <algorithm>
#include <cmath>

namespace specmv {

PmfSymbols pmfSymbols(const GpuModel &gpu, ValueType type, PmfVariant variant) {
  return {.s = static_cast<double>(sizeOf(type)),
          .si = static_cast<double>(gpu.indexBytes),
          .b = gpu.pcieGBs,
          .f = type == ValueType::f32 ? gpu.singleRate : gpu.doubleRate,
          .fi = gpu.intRate,
          .bw = static_cast<double>(gpu.busBits) / 8,
          .cr = gpu.memoryClockGHz,
          .c = static_cast<double>(gpu.cores),
          .w = static_cast<double>(gpu.warpSize),
          .bs = static_cast<double>(gpu.blockSize),
          .variant = variant};
}

double memoryRate(const PmfSymbols &s) { return s.bw * 2 * s.cr; }

static bool isAsPrinted(const PmfSymbols &s) { return s.variant == PmfVariant::asPrinted; }

// Accesses of one thread to `bytes` consecutive bytes, BW bytes at a time (23).
static double accesses(double bytes, const PmfSymbols &s) { return std::ceil(bytes / s.bw); }

// T from the bytes of the matrix and the nanoseconds on the device. The vectors are transferred
// too: x to the device and y back (24, 30, 37, 43).
static PmfTime total(double matrixBytes, double ns, const PmfMoments &m, const PmfSymbols &s) {
  double bytes = matrixBytes + s.s * ((isAsPrinted(s) ? m.rows : m.cols) + m.rows);
  double floorNs = isAsPrinted(s) ? 0 : bytes / memoryRate(s);
  return {.dtt = bytes / s.b / 1000, .ct = std::max(ns, floorNs) / 1000};
}

double cooBytes(double entries, const PmfSymbols &s) { return (s.s + 2 * s.si) * entries; }

double csrBytes(const PmfMoments &m, const PmfSymbols &s) {
  return (s.s + s.si) * m.entries + s.si * (m.rows + 1);
}

double ellBytes(double nonEmpty, double width, const PmfSymbols &s) {
  if (width == 0 && !isAsPrinted(s))
    return 0;
  return nonEmpty * ((s.s + s.si) * width + s.si);
}

double hybBytes(const PmfMoments &m, const HybSplit &coo, const HybSplit &ell,
                const PmfSymbols &s) {
  return cooBytes(static_cast<double>(coo.overflow()), s) +
         ellBytes(m.nonEmpty, static_cast<double>(ell.k), s);
}

// 29 and, with the split's counts, 46. Each of the four accesses of a product takes 1/CR (26).
static double cooNs(double entries, double rows, double steps, const PmfSymbols &s) {
  double am = entries / s.c * (4 / s.cr);
  double ctcM = entries / (s.c * s.f);          // (27)
  double ctcA = rows * s.w / s.c * steps / s.f; // (28)
  return am + ctcM + ctcA;
}

// 42 and 47, for `gathers` accesses to x and `length` products per row.
static double ellNs(double nonEmpty, double width, double gathers, double length,
                    const PmfSymbols &s) {
  if (width == 0 && !isAsPrinted(s))
    return 0;
  double am = (accesses(s.si * width, s) + accesses(s.s * width, s) + gathers + 2) / s.cr;
  return nonEmpty / s.c * (am + 2 * length / s.f);
}

PmfTime cooTime(const PmfMoments &m, const PmfSymbols &s) {
  return total(cooBytes(m.entries, s), cooNs(m.entries, m.rows, m.steps, s), m, s);
}

PmfTime csrTime(const PmfMoments &m, const PmfSymbols &s) {
  double q = m.meanQ;
  double am = (accesses(s.s * q, s) + accesses(s.si * q, s) + 2 + q) / s.cr; // (35)
  double ctc = q * (2 / s.f + 1 / s.fi);                                     // (33, 34)
  return total(csrBytes(m, s), m.rows / s.c * (am + ctc), m, s);
}

// The printed formula (39) reads BS of the K gathers of x from shared memory. In truth it can read
// none there, because the gathers are random.
static double unsharedGathers(double width, const PmfSymbols &s) {
  return isAsPrinted(s) ? std::max(0.0, width - s.bs) : width;
}

PmfTime ellTime(const PmfMoments &m, const PmfSymbols &s) {
  double ns = ellNs(m.nonEmpty, m.longest, unsharedGathers(m.longest, s), m.meanQ, s);
  return total(ellBytes(m.nonEmpty, m.longest, s), ns, m, s);
}

static double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

// 46: the steps of W entries in the COO part, as a mean over the long rows.
static double overflowSteps(const HybSplit &split, const PmfSymbols &s) {
  auto rows = static_cast<double>(split.longRows);
  if (isAsPrinted(s))
    return std::ceil(ratio(static_cast<double>(split.overflow()), rows * s.w));
  return ratio(static_cast<double>(split.longSteps), rows);
}

// 47: products of a row in the ELL part. The printed formula, with E(X | X <= K), leaves out the
// rows that are cut.
static double ellLength(const PmfMoments &m, const HybSplit &split, const PmfSymbols &s) {
  double kept = m.entries - static_cast<double>(split.longEntries);
  if (isAsPrinted(s))
    return ratio(kept, m.rows - static_cast<double>(split.longRows));
  return ratio(kept + static_cast<double>(split.k * split.longRows), m.nonEmpty);
}

// 46
static double hybCooNs(const HybSplit &split, const PmfSymbols &s) {
  return cooNs(static_cast<double>(split.overflow()), static_cast<double>(split.longRows),
               overflowSteps(split, s), s);
}

// 47
static double hybEllNs(const PmfMoments &m, const HybSplit &split, const PmfSymbols &s) {
  auto k = static_cast<double>(split.k);
  double gathers = unsharedGathers(k, s);
  if (isAsPrinted(s))
    gathers = accesses(s.s * gathers, s);
  return ellNs(m.nonEmpty, k, gathers, ellLength(m, split, s), s);
}

PmfTime hybTime(const PmfMoments &m, const HybSplit &coo, const HybSplit &ell,
                const PmfSymbols &s) {
  return total(hybBytes(m, coo, ell, s), hybCooNs(coo, s) + hybEllNs(m, ell, s), m, s);
}

} // namespace specmv
