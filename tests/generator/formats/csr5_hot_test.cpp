// Tests of CSR5 with hot columns: which plans are offered, how a price depends on the counts of
// columns, and for which matrices the format is chosen.
#include "tests/generator/formats/one_format.h"
#include "tests/text.h"

#include "generator/formats/csr5/layout.h"
#include "models/lab/families/families.h"
#include "models/profile/column_degrees.h"

#include <doctest/doctest.h>

using namespace specmv;
using namespace specmv::testing;

namespace {

// A matrix with its counts.
struct CountedMatrix {
  SparsityProfile seen;
  ColumnDegrees columns;

  explicit CountedMatrix(const char *spec) {
    const CsrMatrix a = llvm::cantFail(generateFamily(spec));
    seen = profile(a.view());
    columns = columnDegrees(a.view());
  }
  Candidate best(const std::vector<std::string> &formats, const char *gpu, ValueType type,
                 const ColumnDegrees *counted) const {
    const GpuModel model = llvm::cantFail(loadGpuModel(gpu));
    const Problem problem{type};
    const Fixed none;
    PlanRequest request{seen, problem, model, none};
    request.columns = counted;
    std::vector<Offer> all = llvm::cantFail(offers(request, formats));
    std::erase_if(all, [](const Offer &offer) {
      return offer.format->library || !whyNotByItself(*offer.format).empty();
    });
    return rank(all, request).at(0);
  }
};

} // namespace

TEST_CASE("a plan keeps all columns in shared memory, or as many as fit, or half as many") {
  const auto hotOf = [](const char *spec, ValueType type, const Fixed &fixed = {}) {
    const SparsityProfile seen = profile(llvm::cantFail(generateFamily(spec)).view());
    std::vector<int64_t> out;
    for (const Plan &plan : offerOf(seen, "csr5-hot", fixed, {type}).plans)
      out.push_back(plan.get(key::kCsr5Hot));
    return out;
  };
  CHECK(hotOf("diagonal:n=40960", ValueType::f32) == std::vector<int64_t>{40960});
  CHECK(hotOf("diagonal:n=40961", ValueType::f32) == std::vector<int64_t>{40960, 20480});
  CHECK(hotOf("diagonal:n=40960", ValueType::f64) == std::vector<int64_t>{20480, 10240});
  CHECK(hotOf("diagonal:n=1", ValueType::f64) == std::vector<int64_t>{1});
  CHECK(hotOf("diagonal:n=50000", ValueType::f64, {{"csr5.hot", 7}}) == std::vector<int64_t>{7});
}

TEST_CASE("the shared memory of a block has room for all that a plan needs, on every GPU") {
  const CsrMatrix a = llvm::cantFail(generateFamily("rmat:scale=16,edge=16"));
  const SparsityProfile seen = profile(a.view());
  for (const std::string &name : gpuModelNames())
    for (ValueType type : {ValueType::f32, ValueType::f64}) {
      CAPTURE(name);
      const GpuModel model = llvm::cantFail(loadGpuModel(name));
      const Problem problem{type};
      const auto offerOn = [&](const Fixed &fixed) {
        const PlanRequest request{seen, problem, model, fixed};
        return llvm::cantFail(offers(request, {"csr5-hot"})).at(0);
      };
      const Offer usual = offerOn({});
      CHECK((!usual.plans.empty() || contains(usual.why, "bytes of shared memory")));
      for (const Plan &plan : usual.plans)
        CHECK(plan.get(key::kCsr5Hot) * sizeOf(type) + csr5StaticBytes(plan, sizeOf(type)) <=
              model.sharedBytesPerBlock);
      CHECK(contains(offerOn({{"csr5.hot", 40960}}).why, "block of " + model.name) ==
            (model.sharedBytesPerBlock < 180000 || type == ValueType::f64));
    }
  // 16,672 bytes are those of the arrays in the machine code.
  CHECK(csr5StaticBytes(offerOf(seen, "csr5-hot", {}, {ValueType::f32}).plans.at(0), 4) == 16672);
}

TEST_CASE("more columns or entries than the format can number are refused with their number") {
  SparsityProfile seen = profile(llvm::cantFail(generateFamily("diagonal:n=50000")).view());
  seen.cols = int64_t{1} << 31;
  CHECK(contains(offerOf(seen, "csr5-hot").why, "the matrix has 2147483648"));
  seen.cols = 50000;
  seen.nnz = int64_t{1} << 32;
  CHECK(contains(offerOf(seen, "csr5-hot").why, "the matrix has 4294967296 entries"));
  CHECK(contains(offerOf(matrixOf("nothing", 3, 0, [](int64_t) { return Row{}; }), "csr5-hot").why,
                 "no columns"));
}

TEST_CASE("without counts the price is the least, and more entries in hot columns lower it") {
  const CountedMatrix a("features:rows=200000,cols=400000,k=20");
  const auto usWith = [&](const ColumnDegrees *counted) {
    return a.best({"csr5-hot"}, "h100", ValueType::f32, counted).cautiousUs();
  };
  // The entries of the hot columns alone decide, so the others may be any.
  double before = usWith(nullptr);
  for (const int64_t degree : {90, 60, 40, 20, 10, 5}) {
    const ColumnDegrees fewer{a.seen.cols, a.seen.nnz, {{1, 359040}, {degree, 40960}}};
    const double us = usWith(&fewer);
    CHECK(us > before);
    before = us;
  }
  const ColumnDegrees equal{a.seen.cols, a.seen.nnz, {{10, a.seen.cols}}};
  CHECK(usWith(&equal) >= before);
  ColumnDegrees all{a.seen.cols, a.seen.nnz, {{0, a.seen.cols - 1}, {kMostCountedDegree, 1}}};
  CHECK(usWith(&all) == usWith(nullptr));
}

TEST_CASE("a plan is chosen with more caution if less than a tenth of the entries are hot") {
  const CountedMatrix a("diagonal:n=400000");
  const auto cautionWith = [&](int64_t hotEntries) {
    const ColumnDegrees columns{
        a.seen.cols, a.seen.nnz, {{0, a.seen.cols - 1000}, {hotEntries / 1000, 1000}}};
    return a.best({"csr5-hot"}, "h200", ValueType::f32, &columns).traffic.caution;
  };
  const double usual = cautionWith(a.seen.nnz);
  CHECK(cautionWith(40000) == usual);
  CHECK(cautionWith(39000) == doctest::Approx(1.25 * usual));
  CHECK(a.best({"csr5-hot"}, "h200", ValueType::f32, nullptr).traffic.caution == usual);
}

TEST_CASE("the price of a matrix whose columns are all hot needs no counts") {
  for (const char *spec : {"diagonal:n=20480", "diagonal:n=20481"}) {
    const SparsityProfile seen = profile(llvm::cantFail(generateFamily(spec)).view());
    const Plan plan = offerOf(seen, "csr5-hot").plans.at(0);
    CHECK(findFormat("csr5-hot")->asksColumns(seen, plan) == (seen.cols > 20480));
  }
}

TEST_CASE("graphs with hot columns get the format, and matrices without them do not") {
  const auto check = [](const char *spec, bool isHot) {
    INFO(spec);
    const CountedMatrix a(spec);
    for (const char *gpu : {"h100", "h200"})
      for (const ValueType type : {ValueType::f32, ValueType::f64}) {
        CAPTURE(gpu);
        CAPTURE(nameOf(type));
        CHECK((a.best({}, gpu, type, &a.columns).plan.format == "csr5-hot") == isHot);
      }
  };
  for (const char *spec : {"web:rows=600000,avg=10,near=0.1", "web:rows=400000,avg=12,near=0.2"})
    check(spec, true);
  for (const char *spec :
       {"random:k=16,rows=300000", "powerlaw:rows=400000,avg=8", "fem2d:rows=300000,order=random",
        "stencil5:n=400", "features:rows=100000,cols=8000,k=9", "rmat:scale=12"})
    check(spec, false);
}
