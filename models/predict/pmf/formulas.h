// The formulas of the PMF model as functions of moments. Moments are real numbers, so they may also
// be those of a PMF that no matrix has, such as 45.7 entries in each row.
#pragma once

#include "models/predict/pmf/pmf.h"

namespace specmv {

// The paper's Table 1 for one value type: bytes, nanoseconds and their quotients.
struct PmfSymbols {
  double s;  // S_s or S_d
  double si; // S_i
  double b;  // B
  double f;  // F_s or F_d, per stream processor
  double fi; // F_i
  double bw; // BW, bytes
  double cr; // CR
  double c;  // C
  double w;  // W
  double bs; // BS
  PmfVariant variant;
};
PmfSymbols pmfSymbols(const GpuModel &gpu, ValueType type, PmfVariant variant);

// The data rate of the card's memory, GB/s: data is transferred on both edges of the clock CR.
double memoryRate(const PmfSymbols &s);

// The moments of a matrix that the formulas use (paper, section 4.1.2).
struct PmfMoments {
  double rows = 0;     // N
  double cols = 0;     // M
  double entries = 0;  // NNZ (12)
  double nonEmpty = 0; // N_e = P(X > 0) N
  double longest = 0;  // max{i : P(X = i) > 0}
  double meanQ = 0;    // E(Q) (32)
  double steps = 0;    // of W entries per row (28)
};
PmfMoments pmfMoments(const PmfInput &in, Count warpSize, PmfVariant variant);

// The part of a matrix that a threshold k cuts off: sums over the rows longer than k.
struct HybSplit {
  Count k = 0;
  Count longRows = 0;    // P(X > K) N
  Count longEntries = 0; // NNZ(X > K) (14)
  Count longSteps = 0;   // sum over the long rows of ceil((X - K) / W)

  Count overflow() const { return longEntries - k * longRows; } // entries of the COO part
};
HybSplit hybSplit(const std::vector<LengthCount> &lengths, Count warpSize, Count k);

// HYB takes its COO part from one split and its ELL part from another, so that a search can bound
// the time of all thresholds between them. For the time of one threshold, pass its split twice.
double cooBytes(double entries, const PmfSymbols &s);                // (15)
double csrBytes(const PmfMoments &m, const PmfSymbols &s);           // (16)
double ellBytes(double nonEmpty, double width, const PmfSymbols &s); // (18)
double hybBytes(const PmfMoments &m, const HybSplit &coo, const HybSplit &ell,
                const PmfSymbols &s); // (20)

PmfTime cooTime(const PmfMoments &m, const PmfSymbols &s); // (25, 29)
PmfTime csrTime(const PmfMoments &m, const PmfSymbols &s); // (31, 36)
PmfTime ellTime(const PmfMoments &m, const PmfSymbols &s); // (38, 42)
PmfTime hybTime(const PmfMoments &m, const HybSplit &coo, const HybSplit &ell,
                const PmfSymbols &s); // (45, 49)

} // namespace specmv
