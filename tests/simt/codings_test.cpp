// Tests each coding of values with every format on the host executor: products have the same bits
// as with plain values, the arrays are packed on a device as on the host, and values that do not
// fit are refused alike.
#include "generator/coding/encode.h"
#include "generator/setup/profile.h"
#include "tests/simt/packing_testing.h"

#include <algorithm>
#include <cmath>

using namespace specmv;
using namespace specmv::simt;

namespace {

// So many different values in turn, each exact in a float.
std::vector<double> differing(size_t n, int different) {
  std::vector<double> out(n);
  for (size_t e = 0; e < n; ++e)
    out[e] = 0.125 * (static_cast<int>(e * 7 % static_cast<size_t>(different)) - 5);
  return out;
}

// Values that a coding must keep as they are: infinite, a negative 0 and the least positive float;
// if they need not be exact in a float, also no number and the least positive double.
std::vector<double> specials(size_t n, bool inFloat) {
  constexpr double kSpecials[] = {INFINITY, -INFINITY, -0.0, 0.0, 0x1p-149, 0x1p-1074, NAN, -NAN};
  std::vector<double> out(n, 3);
  for (size_t e = 0; e < n; e += 2)
    out[e] = kSpecials[e / 2 % (inFloat ? 5 : std::size(kSpecials))];
  return out;
}

// Candidates of values, of which each coding takes some.
std::vector<std::vector<double>> valuesTried(int64_t count) {
  const auto n = static_cast<size_t>(count);
  std::vector<std::vector<double>> out = {std::vector<double>(n, -2.3)};
  out.push_back(integers(values, count));
  out.push_back(reals(values, count, ValueType::f64));
  out.push_back(reals(values, count, ValueType::f32));
  out.push_back(specials(n, true));
  out.push_back(specials(n, false));
  for (const int different : {16, 17, 256})
    out.push_back(differing(n, different));
  return out;
}

// Y = alpha A X + beta Y for one vector or several.
std::vector<double> productOf(const TestCase &test, Layout layout, double alpha, double beta,
                              unsigned seed) {
  Run run(test, std::move(layout));
  const int64_t vectors = test.problem.vectors;
  const std::vector<double> x = reals(vectorX, run.a.cols * vectors, run.type);
  const std::vector<double> y = reals(vectorY, run.a.rows * vectors, run.type);
  if (vectors == 1)
    return run.multiply(alpha, beta, x, y, seed);
  Product product{alpha, beta, x, y};
  product.count = vectors;
  product.strideX = product.strideY = vectors;
  product.stepX = product.stepY = 1;
  return run.multiply(std::move(product), seed);
}

// Returns true if the product was compared.
bool checkCoding(const CodedCase &test, const CsrView &view) {
  const auto layoutOf = [&](const TestCase &one) {
    return one.format->layout(view, one.plan.plan, one.problem);
  };
  auto coded = layoutOf(test.coded), plain = layoutOf(test.plain);
  REQUIRE(static_cast<bool>(plain));
  if (test.coding->mostBlocks > 0 && !coded) { // packing has found out
    CHECK(refusalOf(coded).find("different blocks") != std::string::npos);
    return false;
  }
  const std::string refused = test.coding->whyNot ? test.coding->whyNot(valueFacts(view)) : "";
  if (test.coding->whyNot && refused.empty() && plain->slotsAreShared) {
    CHECK(refusalOf(coded).find("adds entries that are repeated") != std::string::npos);
    return false;
  }
  if (!refused.empty()) {
    CHECK(describe(coded.takeError()).second == refused);
    return false;
  }
  REQUIRE(static_cast<bool>(coded));
  const LayoutArray *table = test.coding->table ? coded->find(test.coding->table) : nullptr;
  CHECK(coded->storedBytes() <= plain->storedBytes() + (table ? table->size() : 0));
  CHECK(haveSameBits(productOf(test.coded, *coded, 1.7, -0.3, 1),
                     productOf(test.plain, *plain, 1.7, -0.3, 1)));
  return true;
}

// The device packs the same arrays, or refuses in the same words. Of refusals that do not depend on
// the format, some are enough.
void checkPacking(const CodedCase &test, const CsrView &view) {
  const TestCase &one = test.coded;
  auto host = one.format->layout(view, one.plan.plan, one.problem);
  if (!host && one.format->name != std::string("sell") && test.coding->mostBlocks == 0)
    return llvm::consumeError(host.takeError());
  HostWorkspace workspace(view, 1);
  auto device = one.format->layoutOn(workspace, one.plan.plan, one.problem);
  if (device && !*device) {
    llvm::consumeError(host.takeError());
    return;
  }
  CHECK(refusalOf(device) == refusalOf(host));
  if (!device || !host)
    return;
  const std::string difference = firstDifference(*host, **device, workspace);
  CHECK_MESSAGE(difference.empty(), difference);
  CHECK(host->integers == (**device).integers);
}

// Codes values whose matrix is not at hand, on both sides.
void checkAlone(const Coding &coding, const CsrView &view) {
  Plan plan;
  plan.format = "csr-vector";
  plan.values = coding.name;
  if (!whyNotCoding(coding, plan, view.valueType).empty())
    return;
  const ValueFacts facts = valueFacts(view, diagonalsFor(coding));
  HostWorkspace workspace(view, 1);
  CHECK(llvm::cantFail(valueFactsOn(workspace, diagonalsFor(coding))) == facts);
  if (!coding.whyNot(facts).empty())
    return;
  Layout host = valuesAlone(plan, "val", view.valueType, view.nnz, true),
         device = valuesAlone(plan, "val", view.valueType, view.nnz, false);
  storeValues(host, view);
  llvm::cantFail(storeCoded(host, plan, facts));
  if (coding.codes)
    llvm::cantFail(workspace.lend(kCsrVal, "val"));
  llvm::cantFail(storeCodedOn(workspace, device, plan, facts));
  const std::string difference = firstDifference(host, device, workspace);
  CHECK_MESSAGE(difference.empty(), difference);
  CHECK(host.integers == device.integers);
}

} // namespace

TEST_CASE("values alone are coded on a device as on the host") {
  for (const int64_t count : {1, 2, 15, 16, 17, 1001})
    for (const std::vector<double> &entries : valuesTried(count)) {
      const std::vector<float> narrow(entries.begin(), entries.end());
      CsrView view;
      view.nnz = count;
      for (const Coding *coding : codings().drop_front()) {
        CAPTURE(std::string(coding->name));
        view.valueType = ValueType::f64;
        view.val = entries.data();
        checkAlone(*coding, view);
        view.valueType = ValueType::f32;
        view.val = narrow.data();
        checkAlone(*coding, view);
      }
    }
}

TEST_CASE("codings of values give the bits of plain values, and refuse what does not fit") {
  // Each case begins with other values, and ends when so many fitted.
  constexpr int kFitting = kSampleStep == 1 ? 100 : 3;
  const std::vector<TestMatrix> matrices = caseMatrices();
  size_t first = 0;
  for (const CodedCase &test : codedCases(matrices)) {
    INFO(test.coded.name());
    auto tried = valuesTried(test.coded.matrix->nnz());
    std::rotate(tried.begin(), tried.begin() + static_cast<ptrdiff_t>(first++ % tried.size()),
                tried.end());
    int fitting = 0;
    for (auto entries = tried.begin(); entries != tried.end() && fitting < kFitting; ++entries)
      withView(*test.coded.matrix, test.coded.problem.type, *entries, [&](const CsrView &view) {
        fitting += checkCoding(test, view);
        checkPacking(test, view);
      });
  }
}

// specmv-formats(7) has this exception. An integer times x is a multiple of the least number, so
// that it never underflows.
TEST_CASE("ones: sums that underflow differ from plain ones at most in the sign of a zero") {
  const std::vector<TestMatrix> matrices = caseMatrices();
  int unequal = 0;
  for (const CodedCase &test : codedCases(matrices))
    for (const double value : {0.3, -1.0, -0.3}) {
      const TestMatrix &a = *test.coded.matrix;
      const Problem &problem = test.coded.problem;
      if (test.coding != &kOnes || problem.vectors != 1)
        continue;
      INFO(test.coded.name());
      std::vector<double> x = integers(vectorX, a.cols);
      for (double &v : x)
        v *= vectorTypeOf(problem) == ValueType::f32 ? 0x1p-149 : 0x1p-1074;
      const std::vector<double> y(static_cast<size_t>(a.rows));
      const auto product = [&](const TestCase &one) {
        const std::vector<double> entries(static_cast<size_t>(a.nnz()), value);
        return withView(a, problem.type, entries, [&](const CsrView &view) {
          auto layout = one.format->layout(view, one.plan.plan, problem);
          const bool isPacked = static_cast<bool>(layout);
          llvm::consumeError(layout.takeError());
          return isPacked ? Run(one, std::move(*layout)).multiply(1, 0, x, y, 1)
                          : std::vector<double>();
        });
      };
      const std::vector<double> coded = product(test.coded), plain = product(test.plain);
      if (coded.empty()) // repeated entries are added up
        continue;
      CHECK(coded == plain); // as numbers
      const bool hasSameBits = haveSameBits(coded, plain);
      CHECK((hasSameBits || value == -0.3));
      unequal += !hasSameBits;
    }
  CHECK(unequal > 0);
}

TEST_CASE("every format with kernels of its own has every coding of all formats") {
  const std::vector<TestMatrix> matrices = caseMatrices();
  const std::vector<CodedCase> tests = codedCases(matrices);
  for (const Format &format : formats())
    for (const Coding *coding : codings().drop_front()) {
      const bool has = std::any_of(tests.begin(), tests.end(), [&](const CodedCase &test) {
        return test.coded.format == &format && test.coding == coding;
      });
      const bool isFor = !coding->format || format.name == std::string(coding->format);
      CHECK_MESSAGE(has == (!format.library && isFor), format.name, " ", coding->name);
    }
}
