// The PMF model (Li, Yang and Li, "Performance analysis and optimization for SpMV on GPU using
// probabilistic modeling", 2015): storage and time of COO, CSR, ELL and HYB from the probability
// mass function of the row lengths, and the HYB threshold K. Formula numbers are the paper's.
#pragma once

#include "models/gpu.h"
#include "models/profile/profile.h"

namespace specmv {

// The reading of the paper: as printed, to reproduce its numbers, or with its mistakes corrected:
// - 28, 46: the mean number of W-wide steps over rows, not the ceiling of the mean length
// - 32: E(Q) is the mean of the longest of W rows, not the mean of the W-fractiles
// - 39, 47: all K gathers of x cost, not max(0, K - BS); 47 takes E[min(X, K)] of non-empty rows
// - 20, 47: HYB at K = 0 is COO (section 6.1), so its empty ELL part costs nothing
// - 25, 31, 38, 45: x has M entries and y has N, where the paper counts N for both
// - 29, 36, 42, 49: CT is at least the bytes over the rate of the card's memory, BW x 2 x CR
// - Algorithm 2: searches from 0, not from E(X)
enum class PmfVariant { asPrinted, corrected };
constexpr PmfVariant kPmfVariants[] = {PmfVariant::asPrinted, PmfVariant::corrected};
const char *nameOf(PmfVariant variant); // as in JSON: "asPrinted"

// Times in microseconds: T = DTT + CT (21).
struct PmfTime {
  double dtt = 0; // transfer between host and device (22)
  double ct = 0;  // on the device: AM + CTC
};

struct PmfHybTime : PmfTime {
  Count k = 0; // the threshold of Algorithm 2, pmfHybK
};

struct PmfEstimate {
  PmfTime coo, csr, ell;
  PmfHybTime hyb;
};

// What Algorithm 1 is for (figure 1): the format of the least time among COO, CSR and ELL, the
// first on a tie. The paper compares T; on a device that has the matrix already, CT counts.
struct PmfChoice {
  const char *byT, *byCt; // "COO", "CSR" or "ELL"
};
PmfChoice pmfChoice(const PmfEstimate &estimate);

// Bytes by equations 15, 16, 18 (17 keeps the empty rows; ELL's K is the longest row) and 20, for
// threshold k.
struct PmfStorage {
  double coo = 0, csr = 0, ell = 0, hyb = 0;
};

struct PmfInput {
  // Covers all rows, empty ones with length 0.
  const std::vector<LengthCount> &lengths;
  Count rows, cols; // N, M
  ValueType type;   // S_s and F_s, or S_d and F_d
};

// The thresholds k below are at least 0. For a matrix without rows, all means are 0.
PmfStorage pmfStorage(const PmfInput &in, const GpuModel &gpu, Count k,
                      PmfVariant variant = PmfVariant::corrected);

// Algorithm 1 for COO, CSR and ELL, and the time of HYB at threshold k.
PmfTime pmfCoo(const PmfInput &in, const GpuModel &gpu, PmfVariant variant);
PmfTime pmfCsr(const PmfInput &in, const GpuModel &gpu, PmfVariant variant);
PmfTime pmfEll(const PmfInput &in, const GpuModel &gpu, PmfVariant variant);
PmfTime pmfHyb(const PmfInput &in, const GpuModel &gpu, PmfVariant variant, Count k);

// Algorithm 2: returns the threshold with the least T, the smallest on a tie. asPrinted searches
// ceil(E(X)) .. max, corrected searches 0 .. max. Its own time grows with the number of distinct
// lengths, and with the longest row only if all thresholds have nearly the same predicted time.
Count pmfHybK(const PmfInput &in, const GpuModel &gpu, PmfVariant variant);
// Returns the threshold with the least CT of the corrected model. This is the default of hyb.k,
// since the matrix is already on the device when a product is timed.
Count pmfHybKOnDevice(const PmfInput &in, const GpuModel &gpu);

PmfEstimate pmfEstimate(const PmfInput &in, const GpuModel &gpu, PmfVariant variant);

} // namespace specmv
