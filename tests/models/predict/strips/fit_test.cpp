// Tests of the fits to benchmark matrices: planes and lines are recovered, and unsuitable times are
// refused with their numbers.
#include "tests/models/predict/strips/strips_testing.h"
#include "tests/text.h"

#include <cmath>
#include <limits>

using namespace specmv;
using specmv::testing::contains;

namespace {

// T = (0.5 y + 2) x + 8 y + 16, a saddle.
double saddle(double y, double x) { return (0.5 * y + 2) * x + 8 * y + 16; }
// Two planes that meet at 1,024: (x / 64 + 1) (y + 4), and four times as steep beyond.
double bent(double y, double x) {
  return (x <= 1024 ? x / 64 + 1 : 17 + (x - 1024) / 16) * (y + 4);
}

template <class Model> Model fitOf(const BenchmarkTimes &of) {
  return std::get<Model>(fit(of).model);
}

} // namespace

TEST_CASE("strips: a line comes back to the bit") {
  const auto line = [](double, double x) { return 0.75 * x + 3; };
  CHECK(fitOf<LineModel>(timesBy(StripsKernel::coo, line)) ==
        LineModel{.slope = 0.75, .intercept = 3});
  const auto constant = [](double, double) { return 4.7; };
  CHECK(fitOf<LineModel>(timesBy(StripsKernel::coo, constant)) ==
        LineModel{.slope = 0, .intercept = 4.7});
}

TEST_CASE("strips: least squares of points on no line, by hand") {
  // (1, 1), (2, 2), (3, 6): slope 5/2, mean 3 at 2.
  const BenchmarkTimes of{
      StripsKernel::coo, RowLaw::fixed, ValueType::f64, {{1, 1, 1}, {1, 2, 2}, {3, 1, 6}}};
  CHECK(fitOf<LineModel>(of) == LineModel{.slope = 2.5, .intercept = -2});
}

TEST_CASE("strips: a plane comes back to the bit, whatever x1 is") {
  const PlaneModel expected{
      .x1 = 64, .fSlope = 0.5, .fIntercept = 2, .eSlope = 40, .eIntercept = 144};
  CHECK(fitOf<PlaneModel>(timesBy(StripsKernel::ell, saddle)) == expected);
  // e(y) = saddle(y, 32) = 24 y + 80
  const PlaneModel at32{.x1 = 32, .fSlope = 0.5, .fIntercept = 2, .eSlope = 24, .eIntercept = 80};
  for (const StripsKernel kernel :
       {StripsKernel::csrS, StripsKernel::ellOfStatistics, StripsKernel::jad})
    CHECK(fitOf<PlaneModel>(timesBy(kernel, saddle)) == at32);
  const BenchmarkTimes of = timesBy(StripsKernel::ell, saddle);
  const Fitted at1024 = llvm::cantFail(fitBenchmarks(of, {.x1 = 1024}));
  for (const double x : {0.0, 1.0, 100.5, 5000.0})
    for (const double y : {0.25, 1.0, 77.0})
      CHECK(stripsFormula(at1024, x, y, StripsVariant::corrected) == saddle(y, x));
}

TEST_CASE("strips: the two regimes of a ratio come back") {
  const RatioModel m = fitOf<RatioModel>(timesBy(StripsKernel::csr, bent));
  // At 10 strips 14 (x / 64 + 1); at P_NZ = 64 2 (y + 4).
  CHECK(m.upTo1024 ==
        RatioLines{.i = 10, .z = 64, .a = 14.0 / 64, .b = 14, .c = 2, .d = 8, .t1 = 28});
  // At 10 strips 14 (x / 16 - 47); at P_NZ = 2,048 81 (y + 4).
  CHECK(m.above1024 ==
        RatioLines{
            .i = 10, .z = 2048, .a = 14.0 / 16, .b = -47 * 14, .c = 81, .d = 324, .t1 = 14 * 81});
  const RatioModel v = fitOf<RatioModel>(timesBy(StripsKernel::csrV, bent));
  CHECK((v.upTo1024.i == 40 && v.upTo1024.z == 64));
  CHECK((v.above1024.i == 40 && v.above1024.z == 2048));
}

TEST_CASE("strips: the time of the common matrix is the measured one, not the line's") {
  BenchmarkTimes of = timesBy(StripsKernel::csr, bent);
  for (BenchmarkTime &t : of.times)
    if (t.i == 10 && t.entriesOfRow == 64)
      t.us = 30; // 28 on both lines
  CHECK(fitOf<RatioModel>(of).upTo1024.t1 == 30);
}

TEST_CASE("strips: where few matrices were measured, the longest lines are taken") {
  BenchmarkTimes of{StripsKernel::csr, RowLaw::fixed, ValueType::f64, {}};
  for (const BenchmarkMatrix &m : benchmarkMatrices(StripsKernel::csr, c2050(), 4 * 672 * 2048))
    of.times.push_back(
        {m.i, m.entriesOfRow, bent(static_cast<double>(m.i), static_cast<double>(m.entriesOfRow))});
  // Matrices with 1,024 entries per row exist for up to 8 strips, 2,048 for 4, 4,096 for 2, 8,192
  // for 1.
  const FitAt at = fitAtOf(of);
  CHECK((at.upTo1024.i == 10 && at.upTo1024.z == 64));
  CHECK((at.above1024.i == 1 && at.above1024.z == 1024)); // lines of 4 and of 8 matrices
  const Fitted fitted = fit(of);
  CHECK(stripsFormula(fitted, 3000, 7, StripsVariant::corrected) ==
        doctest::Approx(bent(7, 3000)).epsilon(1e-13));

  const BenchmarkTimes plane{StripsKernel::jad,
                             RowLaw::normal,
                             ValueType::f32,
                             {{1, 4, 1}, {2, 4, 2}, {1, 8, 2}, {2, 8, 4}, {3, 8, 6}, {3, 16, 12}}};
  CHECK(fitAtOf(plane).x1 == 8);
}

TEST_CASE("strips: times that cannot be are refused") {
  const double bad[] = {0,
                        -1,
                        std::numeric_limits<double>::quiet_NaN(),
                        std::numeric_limits<double>::infinity(),
                        1e300,
                        1e-300};
  for (const double us : bad) {
    BenchmarkTimes of = timesBy(StripsKernel::ell, saddle);
    of.times[3].us = us;
    CHECK(contains(refusalOf(fitBenchmarks(of)), "strips ell, fixed, f64: I = 1, P_NZ = 256 took"));
  }
  BenchmarkTimes of = timesBy(StripsKernel::coo, saddle);
  of.times[1].us = -2.5;
  CHECK(refusalOf(fitBenchmarks(of)) == "strips coo, fixed, f64: I = 1, P_NZ = 20 took -2.5 us, "
                                        "which is not in 1e-09 .. 1e+09; measure it again");
  for (const int64_t number : {int64_t{0}, int64_t{-1}, int64_t{1} << 31}) {
    of = timesBy(StripsKernel::coo, saddle);
    of.times[1].i = number;
    CHECK(
        contains(refusalOf(fitBenchmarks(of)), "is not a benchmark matrix: both must be in 1 .. "));
    of = timesBy(StripsKernel::coo, saddle);
    of.times[1].entriesOfRow = number;
    CHECK(
        contains(refusalOf(fitBenchmarks(of)), "is not a benchmark matrix: both must be in 1 .. "));
  }
  of = timesBy(StripsKernel::coo, saddle);
  of.times.push_back(of.times.front());
  CHECK(refusalOf(fitBenchmarks(of)) ==
        "strips coo, fixed, f64: I = 1, P_NZ = 10 has two times; give one");
}

TEST_CASE("strips: too few times are refused with the line that lacks them") {
  for (const StripsKernelFacts &facts : stripsKernels())
    if (facts.form != StripsForm::sum)
      for (const size_t count : {0, 1}) {
        const BenchmarkTimes all = timesBy(facts.kernel, saddle);
        const BenchmarkTimes few{facts.kernel,
                                 RowLaw::fixed,
                                 ValueType::f64,
                                 {all.times.begin(), all.times.begin() + static_cast<int>(count)}};
        CHECK(refusalOf(fitBenchmarks(few)) != "");
      }
  const BenchmarkTimes twice{
      StripsKernel::coo, RowLaw::fixed, ValueType::f32, {{1, 6, 1}, {2, 3, 2}}};
  CHECK(refusalOf(fitBenchmarks(twice)) ==
        "strips coo, fixed, f32: the line over I x P_NZ needs benchmark matrices at two or more "
        "places, but has 1; measure more matrices, with more entries");
  const BenchmarkTimes column{
      StripsKernel::jad, RowLaw::uniform, ValueType::f32, {{1, 32, 1}, {2, 32, 2}, {3, 32, 3}}};
  CHECK(refusalOf(fitBenchmarks(column)) ==
        "statistics jad, uniform, f32: a slope over I needs two or more I with two or more P_NZ "
        "each; there are 0");
  const BenchmarkTimes row{
      StripsKernel::jad, RowLaw::uniform, ValueType::f32, {{1, 32, 1}, {1, 64, 2}, {1, 128, 3}}};
  CHECK(contains(refusalOf(fitBenchmarks(row)),
                 "the line over I at P_NZ = 32 needs benchmark matrices at two or more places, but "
                 "has 1;"));
}

TEST_CASE("strips: a ratio without its common matrix or its second regime is refused") {
  BenchmarkTimes of = timesBy(StripsKernel::csrV, bent, RowLaw::normal);
  const FitAt at = fitAtOf(of);
  const auto without = [&](const auto &isLeftOut) {
    BenchmarkTimes rest = of;
    llvm::erase_if(rest.times, isLeftOut);
    return rest;
  };
  const BenchmarkTimes noCommon =
      without([](const BenchmarkTime &t) { return t.i == 40 && t.entriesOfRow == 2048; });
  CHECK(refusalOf(fitBenchmarks(noCommon, at)) ==
        "statistics csr-v, normal, f64: the benchmark matrix I = 40, P_NZ = 2048, which two lines "
        "have in common, is not among the 233 that were measured");
  CHECK(std::get<RatioModel>(fit(noCommon).model).above1024.i == 50); // another is in its place
  const BenchmarkTimes noStrips =
      without([](const BenchmarkTime &t) { return t.entriesOfRow == 64 && t.i != 40; });
  CHECK(contains(refusalOf(fitBenchmarks(noStrips, at)),
                 "the line over I at P_NZ = 64 needs benchmark matrices at two or more places, but "
                 "has 1"));
  const BenchmarkTimes oneRegime =
      without([](const BenchmarkTime &t) { return t.entriesOfRow >= 1024; });
  CHECK(contains(refusalOf(fitBenchmarks(oneRegime)), "I = 40, P_NZ = 2048"));
  const BenchmarkTimes end = without([](const BenchmarkTime &t) { return t.entriesOfRow > 1024; });
  FitAt atEnd = at;
  atEnd.above1024.z = 1024;
  CHECK(contains(refusalOf(fitBenchmarks(end, atEnd)),
                 "over P_NZ at I = 40 with P_NZ in 1024 .. 2147483647 needs"));
  atEnd.above1024.z = 512;
  CHECK(contains(refusalOf(fitBenchmarks(of, atEnd), Status::badCall),
                 "P_NZ = 512 is not in the regime 1024 .. 2147483647"));
}

TEST_CASE("strips: HYB is not fitted") {
  CHECK(contains(refusalOf(fitBenchmarks({StripsKernel::hyb, RowLaw::fixed, ValueType::f64, {}}),
                           Status::badCall),
                 "priced by those of ell and coo"));
}
