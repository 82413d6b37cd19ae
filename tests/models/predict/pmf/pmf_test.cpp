// Tests of the PMF model's formulas. The expected numbers were computed from the paper's equations
// over the list of rows, in fractions, by a separate script.
#include "tests/models/predict/pmf/pmf_testing.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace specmv;

namespace {

// With one core, the computation takes longer than the memory, so that CT shows each term of the
// formulas.
GpuModel oneCore() { return gt645m(1); }

// N = 9, M = 400, NNZ = 0 + 2 + 12 + 40 + 300 = 354, N_e = 8.
// Fractiles of 32: 3 of 0, then 7 of 1 (F = 3/9), 14 of 3 (7/9), 4 of 40 (8/9), 4 of 300:
// E(Q) = (7 + 42 + 160 + 1200) / 32 = 44.03125.
const std::vector<LengthCount> kLengths{{0, 1}, {1, 2}, {3, 4}, {40, 1}, {300, 1}};
PmfInput small(ValueType type) { return {kLengths, 9, 400, type}; }

struct Expected {
  PmfVariant variant;
  ValueType type;
  PmfTime coo, csr, ell, hyb3, hyb40, hyb300;
};

void checkTime(PmfTime actual, PmfTime expected) {
  CHECK(actual.dtt == doctest::Approx(expected.dtt).epsilon(1e-10));
  CHECK(actual.ct == doctest::Approx(expected.ct).epsilon(1e-10));
}

void checkTimes(const GpuModel &gpu, const Expected &e) {
  CAPTURE(static_cast<int>(e.variant));
  CAPTURE(nameOf(e.type));
  PmfInput in = small(e.type);
  checkTime(pmfCoo(in, gpu, e.variant), e.coo);
  checkTime(pmfCsr(in, gpu, e.variant), e.csr);
  checkTime(pmfEll(in, gpu, e.variant), e.ell);
  checkTime(pmfHyb(in, gpu, e.variant, 3), e.hyb3);
  checkTime(pmfHyb(in, gpu, e.variant, 40), e.hyb40);
  checkTime(pmfHyb(in, gpu, e.variant, 300), e.hyb300);
}

} // namespace

TEST_CASE("pmf: the worked check, a PMF constant at 1771722/38744, comes out as printed") {
  constexpr double kRows = 38744, kEntries = 1771722, kMean = kEntries / kRows;
  PmfMoments m{.rows = kRows,
               .cols = kRows,
               .entries = kEntries,
               .nonEmpty = kRows,
               .longest = kMean,
               .meanQ = kMean,
               .steps = 2};
  PmfTime t = csrTime(m, pmfSymbols(gt645m(), ValueType::f32, PmfVariant::asPrinted));
  // (31) (8 x 1771722 + 4 x 38745 + 8 x 38744) / 16 = 914,919.25 ns
  CHECK(t.dtt == doctest::Approx(914.91925).epsilon(1e-9));
  // (36) 38744/384 ((12 + 12 + 2 + 45.729) / 0.9 + 45.729 x 3 / 0.76) = 26,254 ns
  CHECK(std::abs(t.ct - 26.25) < 0.005);
}

TEST_CASE("pmf: as printed, the gt645m's times of a small PMF") {
  GpuModel gpu = gt645m();
  checkTimes(gpu,
             {.variant = PmfVariant::asPrinted,
              .type = ValueType::f32,
              // (25) (12 x 354 + 8 x 9) / 16 = 270 ns
              // (29) 354/384 (4/0.9 + 1/0.76) + 9 x 32/384 x ceil(39.33/32) / 0.76 = 7.284 ns
              .coo = {0.27, 0.0072838998538},
              // (31) (8 x 354 + 4 x 10 + 72) / 16 = 184
              // (36) 9/384 ((12 + 12 + 2 + 44.03125) / 0.9 + 44.03125 x 3 / 0.76) = 5.897
              .csr = {0.184, 0.00589734529194},
              // (38) (8 x 300 x 8 + 4 x 8 + 72) / 16 = 1206.5
              // (42) 8/384 ((75 + 75 + 300 - 256 + 2) / 0.9 + 2 x 44.03125 / 0.76) = 6.951
              .ell = {1.2065, 0.00695103100634},
              // (45) (12 x (340 - 6) + 8 x 8 x 3 + 32 + 72) / 16 = 269
              // (46) 334/384 (4/0.9 + 1/0.76) + 2 x 32/384 x ceil(167/32) / 0.76 = 6.326
              // (47) 8/384 ((1 + 1 + 0 + 2) / 0.9 + 2 x 14/7 / 0.76) = 0.202
              .hyb3 = {0.269, 0.00652823464912},
              .hyb40 = {0.3615, 0.00576632553606},
              // (47) 8/384 ((75 + 75 + ceil(4 x 44 / 16) + 2) / 0.9 + 2 x 354/9 / 0.76) = 5.930
              .hyb300 = {1.2065, 0.00592958089669}});
  checkTimes(gpu, {.variant = PmfVariant::asPrinted,
                   .type = ValueType::f64,
                   // F_d = 0.76/24: 354/384 (4/0.9 + 24/0.76) + 0.75 x 2 x 24/0.76 = 80.58
                   .coo = {0.363, 0.0805774853801},
                   // 9/384 ((ceil(8 x 44.03/16) + 12 + 2 + 44.03) / 0.9 + 44.03 x 49/0.76) = 68.65
                   .csr = {0.277, 0.0686458975809},
                   .ell = {1.811, 0.0642090034113},
                   .hyb3 = {0.363, 0.0656591130604},
                   .hyb40 = {0.511, 0.0576973684211},
                   .hyb300 = {1.811, 0.0575182748538}});
}

TEST_CASE("pmf: corrected, the gt645m's times of a small PMF: its memory is what takes long") {
  GpuModel gpu = gt645m();
  checkTimes(gpu, {.variant = PmfVariant::corrected,
                   .type = ValueType::f32,
                   // bytes = 12 x 354 + 4 x (400 + 9) = 5884; / 16 and / 28.8
                   .coo = {0.36775, 5.884 / 28.8},
                   .csr = {0.28175, 4.508 / 28.8},
                   .ell = {1.30425, 20.868 / 28.8},
                   .hyb3 = {0.36675, 5.868 / 28.8},
                   .hyb40 = {0.45925, 7.348 / 28.8},
                   .hyb300 = {1.30425, 20.868 / 28.8}});
  checkTimes(gpu, {.variant = PmfVariant::corrected,
                   .type = ValueType::f64,
                   .coo = {0.5585, 8.936 / 28.8},
                   // 7560 / 28.8 = 262.5 ns is less than the computation
                   .csr = {0.4725, 0.457710473394},
                   .ell = {2.0065, 32.104 / 28.8},
                   .hyb3 = {0.5585, 8.936 / 28.8},
                   .hyb40 = {0.7065, 11.304 / 28.8},
                   .hyb300 = {2.0065, 32.104 / 28.8}});
}

TEST_CASE("pmf: corrected, the computation of a small PMF on one core") {
  // E(Q) = 1 + 2 (1 - (3/9)^32) + ... : 1 - F(k)^32 summed over k = 0 .. 299 = 293.98890895
  GpuModel gpu = oneCore();
  checkTimes(gpu, {.variant = PmfVariant::corrected,
                   .type = ValueType::f32,
                   // (29) 354 (4/0.9 + 1/0.76) + 32 x (2 + 4 + 2 + 10) / 0.76 = 2797.0
                   .coo = {0.36775, 2.79701754386},
                   // (36) 9 ((74 + 74 + 2 + 293.989) / 0.9 + 293.989 x 3 / 0.76) = 14884.2
                   .csr = {0.28175, 14.8842319075},
                   // (42) 8 ((75 + 75 + 300 + 2) / 0.9 + 2 x 293.989 / 0.76) = 10207.0
                   .ell = {1.30425, 10.2070179662},
                   // (46) 334 (4/0.9 + 1/0.76) + 32 x (ceil(37/32) + ceil(297/32)) / 0.76
                   // (47) 8 ((1 + 1 + 3 + 2) / 0.9 + 2 x (2 + 12 + 3 x 2)/8 / 0.76)
                   .hyb3 = {0.36675, 2.54403508772},
                   .hyb40 = {0.45925, 2.6750877193},
                   .hyb300 = {1.30425, 4.94935672515}});
  checkTimes(gpu, {.variant = PmfVariant::corrected,
                   .type = ValueType::f64,
                   .coo = {0.5585, 30.941754386},
                   .csr = {0.4725, 175.760821783},
                   .ell = {2.0065, 153.226208967},
                   .hyb3 = {0.5585, 25.4923976608},
                   .hyb40 = {0.7065, 25.0376608187},
                   .hyb300 = {2.0065, 27.0423391813}});
}

TEST_CASE("pmf: E(Q) of a constant length is that length in both variants") {
  std::vector<LengthCount> lengths{{17, 1000}};
  for (PmfVariant variant : kPmfVariants)
    CHECK(pmfMoments({lengths, 1000, 1000, ValueType::f32}, 32, variant).meanQ == 17);
}

TEST_CASE("pmf: bytes of a small PMF") {
  PmfStorage s = pmfStorage(small(ValueType::f32), gt645m(), 3);
  CHECK(s.coo == 4248);  // (15) 12 x 354
  CHECK(s.csr == 2872);  // (16) 8 x 354 + 4 x 10
  CHECK(s.ell == 19232); // (18) 8 x 8 x 300 + 4 x 8
  CHECK(s.hyb == 4232);  // (20) 12 x (340 - 3 x 2) + 8 x 8 x 3 + 4 x 8
  PmfStorage d = pmfStorage(small(ValueType::f64), gt645m(), 40);
  CHECK(d.coo == 5664);  // 16 x 354
  CHECK(d.csr == 4288);  // 12 x 354 + 40
  CHECK(d.ell == 28832); // 12 x 8 x 300 + 32
  CHECK(d.hyb == 8032);  // 16 x 260 + 12 x 8 x 40 + 32
}

TEST_CASE("pmf: HYB is ELL's bytes at the longest row, and COO at 0") {
  for (ValueType type : kPmfTypes) {
    PmfInput in = small(type);
    for (PmfVariant variant : kPmfVariants) {
      PmfStorage whole = pmfStorage(in, gt645m(), 300, variant);
      CHECK(whole.hyb == whole.ell);
    }
    PmfStorage none = pmfStorage(in, oneCore(), 0, PmfVariant::corrected);
    CHECK(none.hyb == none.coo);
    checkTime(pmfHyb(in, oneCore(), PmfVariant::corrected, 0),
              pmfCoo(in, oneCore(), PmfVariant::corrected));
    // The printed formula (20) counts the ids of the 8 rows.
    PmfStorage printed = pmfStorage(in, gt645m(), 0, PmfVariant::asPrinted);
    CHECK(printed.hyb == printed.coo + 4 * 8);
  }
}

TEST_CASE("pmf: matrices without rows, without entries and of one entry give finite times") {
  const std::vector<LengthCount> none, empty{{0, 5}}, one{{1, 1}};
  const PmfInput inputs[] = {{none, 0, 0, ValueType::f32},
                             {none, 0, 7, ValueType::f64},
                             {empty, 5, 5, ValueType::f32},
                             {one, 1, 1, ValueType::f64}};
  for (const PmfInput &in : inputs)
    for (PmfVariant variant : kPmfVariants) {
      PmfEstimate e = pmfEstimate(in, gt645m(), variant);
      for (const PmfTime &t : {e.coo, e.csr, e.ell, static_cast<PmfTime>(e.hyb)}) {
        CHECK(std::isfinite(t.dtt + t.ct));
        CHECK(t.dtt >= 0);
        CHECK(t.ct >= 0);
      }
      CHECK(pmfHyb(in, gt645m(), variant, 3).ct >= 0);
    }
  PmfEstimate e = pmfEstimate(inputs[0], gt645m(), PmfVariant::corrected);
  CHECK(e.coo.dtt == 0);
  CHECK(e.coo.ct == 0);
  CHECK(e.ell.dtt == 0);
  CHECK(e.hyb.k == 0);
  PmfStorage s = pmfStorage(inputs[2], gt645m(), 0);
  CHECK(s.coo == 0);
  CHECK(s.csr == 24);
  CHECK(s.ell == 0);
  CHECK(s.hyb == 0);
}

TEST_CASE("pmf: one dense row of a billion entries keeps its counts") {
  std::vector<LengthCount> lengths{{1, 999'999'999}, {1'000'000'000, 1}};
  PmfInput in{lengths, 1'000'000'000, 1'000'000'000, ValueType::f64};
  // 16 x 1,999,999,999; 12 x 10^9 x 10^9 + 4 x 10^9
  PmfStorage s = pmfStorage(in, gt645m(), 1);
  CHECK(s.coo == 31'999'999'984.0);
  CHECK(s.ell == doctest::Approx(1.2e19 + 4e9).epsilon(1e-12));
  CHECK(s.hyb == 16.0 * 999'999'999 + 16.0 * 1'000'000'000);
  // The bytes are the same at 0 and at 1, but a COO row of one entry keeps a whole warp busy (28).
  CHECK(pmfHybK(in, gt645m(), PmfVariant::corrected) == 1);
}
