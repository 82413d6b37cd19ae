// Finds the threshold K of HYB (Li, Yang and Li 2015, Algorithm 2) without computing the time of
// every threshold.
#include "models/predict/pmf/formulas.h"

#include <algorithm>
#include <limits>

namespace specmv {

HybSplit hybSplit(const std::vector<LengthCount> &lengths, Count w, Count k) {
  HybSplit split{.k = k};
  for (const LengthCount &l : lengths)
    if (l.length > k) {
      split.longRows += l.rows;
      split.longEntries += l.rows * l.length;
      split.longSteps += l.rows * ((l.length - k + w - 1) / w);
    }
  return split;
}

namespace {
// Sums over the rows that are longer than the thresholds of a gap. A gap is the range of thresholds
// from one length that occurs in the matrix to the next.
class Tail {
public:
  explicit Tail(Count w) : w_(w), residues_(static_cast<size_t>(w)) {}

  void add(Count length, Count rows) {
    rows_ += rows;
    entries_ += rows * length;
    quotients_ += rows * (length / w_);
    residues_[static_cast<size_t>(length % w_)] += rows;
  }

  // ceil((X - k) / W) = floor(X / W) - floor(k / W), plus one where X mod W > k mod W.
  HybSplit at(Count k) const {
    Count steps = quotients_ - k / w_ * rows_;
    for (Count r = k % w_ + 1; r < w_; ++r)
      steps += residues_[static_cast<size_t>(r)];
    return {.k = k, .longRows = rows_, .longEntries = entries_, .longSteps = steps};
  }

private:
  Count w_;
  Count rows_ = 0, entries_ = 0, quotients_ = 0;
  std::vector<Count> residues_; // rows by length modulo W
};

// Branch and bound over the thresholds. Within a gap, as k grows, the time of the COO part never
// increases and that of the ELL part never decreases, even after rounding. So the COO time of b
// plus the ELL time of a is a lower bound for all k in a .. b; for a = b it is the time itself.
class Search {
public:
  Search(const PmfInput &in, const GpuModel &gpu, PmfVariant variant,
         double (*microseconds)(const PmfTime &))
      : moments_(pmfMoments(in, gpu.warpSize, variant)),
        symbols_(pmfSymbols(gpu, in.type, variant)), microseconds_(microseconds) {}

  void narrow(const Tail &tail, Count a, Count b) { narrow(tail, a, b, bound(tail, a, b)); }

  // Returns true if the ELL part alone takes longer than the best, at this and all larger
  // thresholds: its products and accesses only grow with k, unless the formulas are as printed.
  bool isBeyond(const HybSplit &ell) const {
    return symbols_.variant != PmfVariant::asPrinted &&
           microseconds_(hybTime(moments_, {.k = ell.k}, ell, symbols_)) > least_;
  }

  Count best() const { return best_; }

private:
  // `t` is the bound of a .. b.
  void narrow(const Tail &tail, Count a, Count b, double t) {
    if (t > least_ || (t == least_ && a > best_))
      return;
    if (a == b) {
      least_ = t;
      best_ = a;
      return;
    }
    Count middle = a + (b - a) / 2;
    const double lower = bound(tail, a, middle), upper = bound(tail, middle + 1, b);
    const bool upperFirst = upper < lower;
    if (upperFirst)
      narrow(tail, middle + 1, b, upper);
    narrow(tail, a, middle, lower);
    if (!upperFirst)
      narrow(tail, middle + 1, b, upper);
  }

  double bound(const Tail &tail, Count a, Count b) const {
    return microseconds_(hybTime(moments_, tail.at(b), tail.at(a), symbols_));
  }

  PmfMoments moments_;
  PmfSymbols symbols_;
  double (*microseconds_)(const PmfTime &);
  double least_ = std::numeric_limits<double>::infinity();
  Count best_ = 0;
};
} // namespace

static Count leastK(const PmfInput &in, Count w, Count first, Search search) {
  Tail tail(w);
  for (const LengthCount &l : in.lengths)
    tail.add(l.length, l.rows);
  constexpr size_t kLook = 16; // gaps between two looks whether the rest is beyond the best
  Count gap = 0;
  size_t seen = 0;
  for (const LengthCount &l : in.lengths) {
    if (first < l.length)
      search.narrow(tail, std::max(gap, first), l.length - 1);
    tail.add(l.length, -l.rows);
    gap = l.length;
    if (++seen % kLook == 0 && search.isBeyond(tail.at(gap)))
      return search.best();
  }
  search.narrow(tail, gap, gap); // the threshold is the longest row: all ELL
  return search.best();
}

// ceil(E(X)), computed without rounding.
static Count meanLength(const PmfInput &in) {
  Count entries = hybSplit(in.lengths, 1, 0).longEntries;
  return entries == 0 ? 0 : (entries - 1) / in.rows + 1;
}

PmfTime pmfHyb(const PmfInput &in, const GpuModel &gpu, PmfVariant variant, Count k) {
  HybSplit split = hybSplit(in.lengths, gpu.warpSize, k);
  return hybTime(pmfMoments(in, gpu.warpSize, variant), split, split,
                 pmfSymbols(gpu, in.type, variant));
}

Count pmfHybK(const PmfInput &in, const GpuModel &gpu, PmfVariant variant) {
  auto t = [](const PmfTime &time) { return time.dtt + time.ct; };
  Count first = variant == PmfVariant::asPrinted ? meanLength(in) : 0;
  return leastK(in, gpu.warpSize, first, Search(in, gpu, variant, t));
}

Count pmfHybKOnDevice(const PmfInput &in, const GpuModel &gpu) {
  auto ct = [](const PmfTime &time) { return time.ct; };
  return leastK(in, gpu.warpSize, 0, Search(in, gpu, PmfVariant::corrected, ct));
}

} // namespace specmv
