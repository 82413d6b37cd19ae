// Tests of the times by the models of strips and statistics: by hand, in each variant, for plans
// and for matrices at the limits.
#include "tests/models/length_counts.h"
#include "tests/models/predict/strips/strips_testing.h"

#include <cmath>

using namespace specmv;

namespace {

// T = (0.5 y + 2) x + 8 y + 16; CSR: (x / 64 + 1) (y + 4); COO: 0.75 strips + 3.
double ofPlane(double y, double x) { return (0.5 * y + 2) * x + 8 * y + 16; }
double ofRatio(double y, double x) { return (x / 64 + 1) * (y + 4); }
double ofLine(double, double x) { return 0.75 * x + 3; }

double of(StripsForm form, double y, double x) {
  return (form == StripsForm::plane ? ofPlane : form == StripsForm::ratio ? ofRatio : ofLine)(y, x);
}

// A C2050 with the benchmarks of all kernels, of both types.
GpuModel measured() {
  GpuModel gpu = c2050();
  gpu.benchmarks = Benchmarks{"made up", {}};
  for (const StripsKernelFacts &facts : stripsKernels())
    for (const ValueType type : {ValueType::f32, ValueType::f64})
      if (facts.form != StripsForm::sum)
        gpu.benchmarks->fitted.push_back(fit(timesBy(
            facts.kernel, [&](double y, double x) { return of(facts.form, y, x); }, facts.laws[0],
            type)));
  return gpu;
}

SparsityProfile profileOf(std::vector<LengthCount> lengths) {
  SparsityProfile p;
  for (const LengthCount &l : lengths) {
    p.rows += l.rows;
    p.nnz += l.rows * l.length;
  }
  p.lengths = std::move(lengths);
  return p;
}

std::optional<double> us(StripsKernel kernel, const std::vector<LengthCount> &lengths,
                         StripsVariant variant = StripsVariant::corrected) {
  return stripsUs(kernel, stripsTarget(profileOf(lengths)), measured(), ValueType::f64, variant);
}

// 30,000 rows: the mode is 5, the longest row has 100; 12,000 rows reach 8, which is more than a
// third.
const std::vector<LengthCount> kMixed{{2, 4000}, {5, 14000}, {8, 11990}, {100, 10}};

Plan planOf(const std::string &format, const std::string &name = "", int64_t value = 0) {
  Plan plan{.format = format};
  if (!name.empty())
    plan.integers.emplace_back(name, value);
  return plan;
}

} // namespace

TEST_CASE("the row share's K is the largest that max(4096, N / 3) rows reach") {
  const auto kOf = [](const std::vector<LengthCount> &lengths) {
    return hybThresholdOfRowShare(profileOf(lengths));
  };
  CHECK(kOf({}) == 0);
  CHECK(kOf({{7, 4095}}) == 0);
  CHECK(kOf({{7, 4096}}) == 7);
  CHECK(kOf({{0, 10000}, {3, 4096}}) == 0);        // a third are 4,699 rows
  CHECK(kOf({{0, 8192}, {3, 4095}, {9, 1}}) == 3); // 4,096 of 12,288
  CHECK(kOf({{0, 8193}, {3, 4095}, {9, 1}}) == 0); // less than a third of 12,289
  CHECK(kOf({{2, 8000}, {5, 4000}, {1000, 8000}}) == 1000);
  CHECK(kOf({{2, 12000}, {5, 4000}, {1000, 4000}}) == 5); // 6,667 of 20,000
}

TEST_CASE("strips: what the models read of a matrix") {
  const StripsTarget t = stripsTarget(profileOf(kMixed));
  CHECK(t.rows == 30000);
  CHECK(t.entries == 8000 + 70000 + 95920 + 1000);
  CHECK(t.mode == 5);
  CHECK(t.longest == 100);
  CHECK(t.hybK == 8);
  CHECK(t.hybEntries == 920);
}

TEST_CASE("strips: times by hand, strips rounded up") {
  CHECK(us(StripsKernel::csr, kMixed) == doctest::Approx(ofRatio(45, 5)));  // 30,000 / 672 = 44.6
  CHECK(us(StripsKernel::csrV, kMixed) == doctest::Approx(ofRatio(23, 5))); // / 1,344 = 22.3
  CHECK(us(StripsKernel::ell, kMixed) == doctest::Approx(ofPlane(2, 100))); // / 21,504 = 1.4
  CHECK(us(StripsKernel::csrS, kMixed) == doctest::Approx(ofPlane(2, 100)));
  CHECK(us(StripsKernel::jad, kMixed) == doctest::Approx(ofPlane(2, 100)));
  CHECK(us(StripsKernel::coo, kMixed) == doctest::Approx(0.75 * 9 + 3)); // 174,920 / 21,504 = 8.1
  // ELL with 8 entries per row, and 920 entries of COO.
  CHECK(us(StripsKernel::hyb, kMixed) == doctest::Approx(ofPlane(2, 8) + 0.75 + 3));
}

TEST_CASE("strips: unrounded, a part of a strip takes a part of its time") {
  const auto unrounded = [](StripsKernel kernel) {
    return us(kernel, kMixed, StripsVariant::unrounded);
  };
  CHECK(unrounded(StripsKernel::csr) == doctest::Approx(ofRatio(30000.0 / 672, 5)));
  CHECK(unrounded(StripsKernel::ell) == doctest::Approx(ofPlane(30000.0 / 21504, 100)));
  CHECK(unrounded(StripsKernel::coo) == doctest::Approx(0.75 * 174920 / 21504 + 3));
  CHECK(unrounded(StripsKernel::hyb) ==
        doctest::Approx(ofPlane(30000.0 / 21504, 8) + 0.75 * 920 / 21504 + 3));
  // Whole strips are not changed by rounding.
  const std::vector<LengthCount> whole{{7, 21504 * 3}};
  for (const StripsKernelFacts &facts : stripsKernels())
    CHECK(us(facts.kernel, whole, StripsVariant::unrounded) == us(facts.kernel, whole));
}

TEST_CASE("strips: as printed, the plane of strips' ELL is moved by Y, not by x1") {
  // g(Y) = e(Y) - f(Y) Y: with x1 = 64, f = 0.5 Y + 2, the time is f (64 - Y) longer.
  const double y = 2, moved = (0.5 * y + 2) * (64 - y);
  CHECK(us(StripsKernel::ell, kMixed, StripsVariant::asPrinted) ==
        doctest::Approx(ofPlane(y, 100) + moved));
  CHECK(us(StripsKernel::hyb, kMixed, StripsVariant::asPrinted) ==
        doctest::Approx(ofPlane(y, 8) + moved + 0.75 + 3));
  for (const StripsKernel same :
       {StripsKernel::csr, StripsKernel::coo, StripsKernel::csrV, StripsKernel::csrS,
        StripsKernel::ellOfStatistics, StripsKernel::jad})
    CHECK(us(same, kMixed, StripsVariant::asPrinted) == us(same, kMixed));
}

TEST_CASE("strips: a part of HYB without entries costs nothing") {
  const std::vector<LengthCount> even{{9, 5000}}, few{{9, 4000}}; // K = 9 and, of few rows, 0
  for (const StripsVariant variant : kStripsVariants) {
    CHECK(us(StripsKernel::hyb, even, variant) == us(StripsKernel::ell, even, variant));
    CHECK(us(StripsKernel::hyb, few, variant) == us(StripsKernel::coo, few, variant));
  }
}

TEST_CASE("strips: rows of 1,024 entries are in the first regime, longer ones in the second") {
  const auto bent = [](double y, double x) { return (x <= 1024 ? x : 2000 + 3 * x) * (y + 1); };
  const Fitted f = fit(timesBy(StripsKernel::csr, bent));
  const RatioModel m = std::get<RatioModel>(f.model);
  for (const double x : {1.0, 1024.0, 1025.0, 1e6}) {
    const RatioLines &l = x <= 1024 ? m.upTo1024 : m.above1024;
    CHECK(stripsFormula(f, x, 3, StripsVariant::corrected) ==
          (l.a * x + l.b) / l.t1 * (l.c * 3 + l.d));
  }
  CHECK(stripsFormula(f, 1024, 3, StripsVariant::corrected) == doctest::Approx(4096));
}

TEST_CASE("strips: matrices at the edge have finite times or none") {
  const std::vector<std::vector<LengthCount>> edges{
      {},                                      // no rows
      {{0, 5}},                                // no entries
      {{1, 1}},                                // one entry
      {{1'000'000'000, 1}},                    // one row, longer than any that was measured
      {{0, 3}, {1, 2}},                        // the mode is 0
      {{0, 1'000'000'000}, {50'000'000, 2}},   // mostly empty
      {{1, 999'999'999}, {1'000'000'000, 1}}}; // one dense row
  for (const auto &lengths : edges)
    for (const StripsKernelFacts &facts : stripsKernels())
      for (const StripsVariant variant : kStripsVariants)
        if (const auto t = us(facts.kernel, lengths, variant)) {
          CHECK(std::isfinite(*t));
          CHECK(*t > 0);
        }
  CHECK(us(StripsKernel::csr, edges[0]) == doctest::Approx(ofRatio(0, 0)));
  CHECK(us(StripsKernel::hyb, edges[0]) == std::nullopt); // neither part is there
  CHECK(us(StripsKernel::csr, edges[4]) == doctest::Approx(ofRatio(1, 0)));
  CHECK(us(StripsKernel::ell, edges[3]) == doctest::Approx(ofPlane(1, 1e9)));
  CHECK(us(StripsKernel::coo, edges[3]) == doctest::Approx(0.75 * 46503 + 3));
}

TEST_CASE("strips: lines below 0 are no time, also two of them") {
  GpuModel gpu = c2050();
  const auto with = [&](const std::variant<LineModel, PlaneModel, RatioModel> &model,
                        StripsKernel kernel) {
    gpu.benchmarks = Benchmarks{"made up", {{kernel, RowLaw::fixed, ValueType::f64, model}}};
    return stripsUs(kernel, stripsTarget(profileOf({{2, 100}})), gpu, ValueType::f64,
                    StripsVariant::corrected);
  };
  CHECK(with(LineModel{1, -1}, StripsKernel::coo) == std::nullopt); // 0
  CHECK(with(LineModel{2, -1}, StripsKernel::coo) == 1);
  const RatioLines below{.i = 1, .z = 1, .a = 1, .b = -3, .c = 1, .d = -3, .t1 = 1};
  CHECK(with(RatioModel{below, below}, StripsKernel::csr) == std::nullopt); // -1 and -2
  // One part of HYB is below 0.
  gpu.benchmarks->fitted = {
      {StripsKernel::ell, RowLaw::fixed, ValueType::f64, PlaneModel{1, 0, 0, 0, -1}},
      {StripsKernel::coo, RowLaw::fixed, ValueType::f64, LineModel{0, 5}}};
  const StripsTarget both = stripsTarget(profileOf({{2, 5000}, {3, 1}}));
  CHECK(stripsUs(StripsKernel::hyb, both, gpu, ValueType::f64, StripsVariant::corrected) ==
        std::nullopt);
}

TEST_CASE("strips: a GPU prices what was measured on it, by the paper's better law") {
  const StripsTarget t = stripsTarget(profileOf(kMixed));
  const auto with = [&](std::vector<Fitted> fitted, ValueType type) {
    GpuModel gpu = c2050();
    gpu.benchmarks = Benchmarks{"made up", std::move(fitted)};
    return std::pair(stripsUs(StripsKernel::csrS, t, gpu, type, StripsVariant::corrected),
                     stripsLaw(StripsKernel::csrS, gpu, type));
  };
  const auto steady = [](RowLaw law, double us) {
    return Fitted{StripsKernel::csrS, law, ValueType::f32, PlaneModel{1, 0, 0, 0, us}};
  };
  using Priced = std::pair<std::optional<double>, std::optional<RowLaw>>;
  const std::vector<Fitted> all{steady(RowLaw::fixed, 1), steady(RowLaw::poisson, 2),
                                steady(RowLaw::normal, 3), steady(RowLaw::uniform, 4)};
  CHECK(with(all, ValueType::f32) == Priced(4, RowLaw::uniform));
  CHECK(with({all[0], all[2]}, ValueType::f32) == Priced(3, RowLaw::normal));
  CHECK(with({all[0], all[1]}, ValueType::f32) == Priced(2, RowLaw::poisson));
  CHECK(with({all[0]}, ValueType::f32) == Priced(1, RowLaw::fixed));
  CHECK(with(all, ValueType::f64) == Priced(std::nullopt, std::nullopt));
  GpuModel asked = c2050();
  asked.benchmarks = Benchmarks{"made up", all};
  const auto by = [&](RowLaw law) {
    return stripsUs(StripsKernel::csrS, t, asked, ValueType::f32,
                    StripsReading{StripsVariant::corrected, law});
  };
  CHECK(by(RowLaw::fixed) == 1);
  CHECK(by(RowLaw::normal) == 3);
  asked.benchmarks->fitted = {all[0]};
  CHECK(by(RowLaw::normal) == std::nullopt); // no other law stands in for the one that is asked
  for (const StripsKernelFacts &facts : stripsKernels())
    CHECK(stripsUs(facts.kernel, t, c2050(), ValueType::f64, StripsVariant::corrected) ==
          std::nullopt);
}

TEST_CASE("strips: a plan is priced by the papers that model its very kernel") {
  const GpuModel gpu = measured();
  const StripsTarget t = stripsTarget(profileOf(kMixed));
  const auto priced = [&](const Plan &plan) {
    const StripsPrediction p = stripsPrediction(plan, t, gpu, ValueType::f32);
    return std::pair(p.strips, p.statistics);
  };
  const auto of = [&](StripsKernel kernel) {
    return stripsUs(kernel, t, gpu, ValueType::f32, StripsVariant::corrected);
  };
  const std::optional<double> none;
  CHECK(priced(planOf("csr-vector", "csr.lanes", 32)) == std::pair(of(StripsKernel::csr), none));
  CHECK(priced(planOf("csr-vector", "csr.lanes", 16)) == std::pair(none, of(StripsKernel::csrV)));
  CHECK(priced(planOf("csr-scalar")) == std::pair(none, of(StripsKernel::csrS)));
  CHECK(priced(planOf("ell", "ell.width", 100)) ==
        std::pair(of(StripsKernel::ell), of(StripsKernel::ellOfStatistics)));
  CHECK(priced(planOf("coo")) == std::pair(of(StripsKernel::coo), none));
  CHECK(priced(planOf("hyb", "hyb.k", 8)) == std::pair(of(StripsKernel::hyb), none));
  CHECK(priced(planOf("jad")) == std::pair(none, of(StripsKernel::jad)));
  for (const StripsKernelFacts &facts : stripsKernels())
    CHECK(of(facts.kernel).has_value());
  for (const Plan &other :
       {planOf("csr-vector", "csr.lanes", 8), planOf("ell", "ell.width", 101),
        planOf("hyb", "hyb.k", 7), planOf("hcghyb", "hyb.k", 8), planOf("sell"), planOf("csr5")})
    CHECK(priced(other) == std::pair(none, none));
}
