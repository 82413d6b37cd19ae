// Tests of HYB's threshold: against naive searches over lists of rows, and by hand.
#include "tests/models/length_counts.h"
#include "tests/models/predict/pmf/pmf_testing.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

using namespace specmv;

namespace {

double up(double x) { return std::ceil(x); }

// Equations 45 and 49 with README's corrections, row by row, on the gt645m, in nanoseconds.
struct Naive {
  std::vector<Count> rows;
  double cols, size, rate, cores;
  bool printed;

  double dtt(Count k) const { return bytes(k) / 16; }
  double ct(Count k) const {
    double ns = coo(k) + (k == 0 && !printed ? 0 : ell(k));
    return printed ? ns : std::max(ns, bytes(k) / 28.8);
  }

  double bytes(Count k) const {
    double sum = size * (static_cast<double>(rows.size()) + (printed ? rows.size() : cols));
    for (Count x : rows) {
      sum += (size + 8) * static_cast<double>(std::max<Count>(0, x - k));
      if (x > 0 && (k > 0 || printed))
        sum += (size + 4) * static_cast<double>(k) + 4;
    }
    return sum;
  }

  double coo(Count k) const {
    double over = 0, cut = 0, steps = 0;
    for (Count x : rows)
      if (x > k) {
        over += static_cast<double>(x - k);
        steps += up(static_cast<double>(x - k) / 32);
        cut += 1;
      }
    if (printed && cut > 0)
      steps = cut * up(over / cut / 32);
    return over / cores * (4 / 0.9 + 1 / rate) + 32 / cores * steps / rate;
  }

  double ell(Count k) const {
    double nonEmpty = 0, kept = 0, shortRows = 0, shortEntries = 0;
    for (Count x : rows) {
      nonEmpty += x > 0;
      kept += static_cast<double>(std::min(x, k));
      if (x <= k) {
        shortRows += 1;
        shortEntries += static_cast<double>(x);
      }
    }
    double length = printed ? (shortRows > 0 ? shortEntries / shortRows : 0)
                            : (nonEmpty > 0 ? kept / nonEmpty : 0);
    auto width = static_cast<double>(k);
    double gathers = printed ? up(size * std::max(0.0, width - 256) / 16) : width;
    double accesses = up(4 * width / 16) + up(size * width / 16) + gathers + 2;
    return nonEmpty / cores * (accesses / 0.9 + 2 * length / rate);
  }

  double total(Count k) const { return dtt(k) + ct(k); }
};

Naive naive(std::vector<Count> rows, Count cols, ValueType type, PmfVariant variant,
            const GpuModel &gpu) {
  return {.rows = std::move(rows),
          .cols = static_cast<double>(cols),
          .size = type == ValueType::f32 ? 4.0 : 8.0,
          .rate = type == ValueType::f32 ? 0.76 : 0.03166666666666667,
          .cores = static_cast<double>(gpu.cores),
          .printed = variant == PmfVariant::asPrinted};
}

// The lengths of a body and a tail, from none to a few hundred.
std::vector<Count> randomRows(std::mt19937 &random) {
  std::vector<Count> rows(1 + random() % 60);
  Count body = 1 + random() % 50, tail = 1 + random() % 700;
  for (Count &x : rows)
    x = static_cast<Count>(random() % (random() % 8 ? body : tail));
  return rows;
}

Count firstK(const std::vector<Count> &rows, PmfVariant variant) {
  Count sum = std::accumulate(rows.begin(), rows.end(), Count{0});
  auto n = static_cast<Count>(rows.size());
  return variant == PmfVariant::asPrinted ? sum / n + (sum % n != 0) : 0;
}

// The least of the naive costs from `first` on must equal that of k, apart from rounding.
template <class Cost> void checkLeast(Cost cost, Count first, Count longest, Count k) {
  REQUIRE(k >= first);
  REQUIRE(k <= longest);
  double least = cost(first);
  for (Count i = first; i <= longest; ++i)
    least = std::min(least, cost(i));
  CHECK(cost(k) <= least * (1 + 1e-12));
}

} // namespace

TEST_CASE("pmf hyb: time and threshold equal a naive search over random rows") {
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round) {
    std::vector<Count> rows = randomRows(random);
    Count longest = *std::max_element(rows.begin(), rows.end());
    std::vector<LengthCount> lengths = lengthCounts(rows);
    for (int64_t cores : {1, 16, 384})
      for (ValueType type : kPmfTypes) {
        GpuModel gpu = gt645m(cores);
        PmfInput in{lengths, static_cast<Count>(rows.size()), 900, type};
        for (PmfVariant variant : kPmfVariants) {
          Naive n = naive(rows, 900, type, variant, gpu);
          for (Count k = 0; k <= longest + 2; k += 1 + k / 4) {
            PmfTime t = pmfHyb(in, gpu, variant, k);
            REQUIRE(t.dtt == doctest::Approx(n.dtt(k) / 1000).epsilon(1e-12));
            REQUIRE(t.ct == doctest::Approx(n.ct(k) / 1000).epsilon(1e-12));
          }
          checkLeast([&](Count k) { return n.total(k); }, firstK(rows, variant), longest,
                     pmfHybK(in, gpu, variant));
        }
        Naive n = naive(rows, 900, type, PmfVariant::corrected, gpu);
        checkLeast([&](Count k) { return n.ct(k); }, 0, longest, pmfHybKOnDevice(in, gpu));
      }
  }
}

TEST_CASE("pmf hyb: the search misses no threshold, and the smallest K wins a tie") {
  std::mt19937 random(2);
  for (int round = 0; round < 40; ++round) {
    std::vector<Count> rows = randomRows(random);
    std::vector<LengthCount> lengths = lengthCounts(rows);
    PmfInput in{lengths, static_cast<Count>(rows.size()), 900, ValueType::f32};
    GpuModel gpu = gt645m(1 + static_cast<int64_t>(random() % 400));
    for (PmfVariant variant : kPmfVariants) {
      auto t = [&](Count k) {
        PmfTime time = pmfHyb(in, gpu, variant, k);
        return time.dtt + time.ct;
      };
      Count best = firstK(rows, variant);
      for (Count k = best; k <= lengths.back().length; ++k)
        if (t(k) < t(best))
          best = k;
      CHECK(pmfHybK(in, gpu, variant) == best);
    }
  }
}

TEST_CASE("pmf hyb: the smallest K wins where distant thresholds tie") {
  // Rates that divide 1 make every term a whole number of nanoseconds, and short steps make the
  // time rise and fall. By hand, for lengths 4 (4 rows) and 40 (3 rows), W = 14, F = 1/4, CR = 1:
  //   K = 4:  COO 108 x 8 + 14 x 9 x 4, ELL 7 (4 + 4 + 4 + 2) + 8 x 28 = 1690
  //   K = 12: COO 84 x 8 + 14 x 6 x 4, ELL 7 (12 + 12 + 12 + 2) + 8 x 52 = 1690
  GpuModel gpu = gt645m(1);
  gpu.warpSize = 14;
  gpu.busBits = 32;
  gpu.singleRate = 0.25;
  gpu.memoryClockGHz = 1;
  std::vector<LengthCount> lengths{{4, 4}, {40, 3}};
  PmfInput in{lengths, 7, 90, ValueType::f32};
  CHECK(pmfHyb(in, gpu, PmfVariant::corrected, 4).ct == 1.690);
  CHECK(pmfHyb(in, gpu, PmfVariant::corrected, 12).ct == 1.690);
  CHECK(pmfHybKOnDevice(in, gpu) == 4);
}

TEST_CASE("pmf hyb: thresholds of a small PMF") {
  // Computed by the script that made pmf_test.cpp's numbers.
  std::vector<LengthCount> lengths{{0, 1}, {1, 2}, {3, 4}, {40, 1}, {300, 1}};
  PmfInput single{lengths, 9, 400, ValueType::f32}, twice{lengths, 9, 400, ValueType::f64};
  CHECK(pmfHybK(single, gt645m(384), PmfVariant::asPrinted) == 40); // ceil(E(X)) = 40
  CHECK(pmfHybK(single, gt645m(1), PmfVariant::asPrinted) == 44);
  CHECK(pmfHybK(twice, gt645m(1), PmfVariant::asPrinted) == 299);
  CHECK(pmfHybK(single, gt645m(384), PmfVariant::corrected) == 3);
  CHECK(pmfHybK(single, gt645m(1), PmfVariant::corrected) == 12);
  // The bytes of f64 are the same at 0 and at 3: 16 x 20 entries moved = 12 x 8 x 3 + 4 x 8.
  CHECK(pmfHybK(twice, gt645m(384), PmfVariant::corrected) == 0);
  CHECK(pmfHybKOnDevice(single, gt645m(384)) == 3);
  CHECK(pmfHybKOnDevice(twice, gt645m(384)) == 0);
  CHECK(pmfHybKOnDevice(twice, gt645m(1)) == 12);
}

TEST_CASE("pmf hyb: rows of one length are all ELL") {
  std::vector<LengthCount> lengths{{27, 100'000}};
  PmfInput in{lengths, 100'000, 100'000, ValueType::f32};
  GpuModel gpu = llvm::cantFail(loadGpuModel("h200"));
  for (PmfVariant variant : kPmfVariants) {
    CHECK(pmfHybK(in, gpu, variant) == 27);
    CHECK(pmfEstimate(in, gpu, variant).hyb.k == 27);
  }
  CHECK(pmfHybKOnDevice(in, gpu) == 27);
}

TEST_CASE("pmf hyb: a matrix without entries has threshold 0") {
  std::vector<LengthCount> none, empty{{0, 4}};
  for (PmfVariant variant : kPmfVariants) {
    CHECK(pmfHybK({none, 0, 3, ValueType::f32}, gt645m(384), variant) == 0);
    CHECK(pmfHybK({empty, 4, 3, ValueType::f32}, gt645m(384), variant) == 0);
  }
  CHECK(pmfHybKOnDevice({none, 0, 3, ValueType::f32}, gt645m(384)) == 0);
  CHECK(pmfHybKOnDevice({empty, 4, 3, ValueType::f32}, gt645m(384)) == 0);
}

TEST_CASE("pmf hyb: 100,000 distinct lengths are searched in milliseconds") {
  // One row of each length 1 .. n, limited by memory: a step from k to k + 1 saves 12 bytes in each
  // of the n - k cut rows and costs 8 in each of the n rows. It pays while n - k > 2n/3.
  constexpr Count kRows = 100'000;
  std::vector<LengthCount> lengths;
  for (Count length = 1; length <= kRows; ++length)
    lengths.push_back({length, 1});
  PmfInput in{lengths, kRows, kRows, ValueType::f32};
  GpuModel gpu = gt645m(1 << 30);
  CHECK(pmfHybKOnDevice(in, gpu) == 33'334);
  CHECK(pmfHybK(in, gpu, PmfVariant::corrected) == 33'334);
  CHECK(pmfHybK(in, gpu, PmfVariant::asPrinted) == 50'001); // the search starts at E(X) = 50,000.5
}

TEST_CASE("pmf hyb: a matrix of one dense row is not searched threshold by threshold") {
  // One row of length n: a larger k saves 12 bytes and costs 8 for each entry moved.
  constexpr Count kLength = 2'000'000'000;
  std::vector<LengthCount> lengths{{kLength, 1}};
  PmfInput in{lengths, 1, kLength, ValueType::f32};
  CHECK(pmfHybKOnDevice(in, gt645m(384)) == kLength);
  CHECK(pmfHybK(in, gt645m(384), PmfVariant::corrected) == kLength);
}
