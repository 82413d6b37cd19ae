// Makes the large matrices and their plans.
#include "tests/simt/packings.h"

#include "models/base/error.h"

#include <functional>
#include <set>

namespace specmv::simt {

// Rows of these lengths, with columns in no order, some of them repeated.
static TestMatrix drawn(const char *name, int64_t rows, int64_t cols,
                        const std::function<int64_t(int64_t)> &lengthOf) {
  TestMatrix a{name, rows, cols, {0}, {}, false};
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t k = 0; k < lengthOf(i); ++k)
      a.col.push_back(static_cast<int32_t>((i * 7919 + k * k * 31 + k % 3) % cols));
    a.rowPtr.push_back(static_cast<int32_t>(a.col.size()));
  }
  return a;
}

std::vector<TestMatrix> largeMatrices() {
  return {drawn("a long row among short and empty ones", 20011, 5000,
                [](int64_t i) {
                  const bool isEmpty = i >= 6000 && i < 13000;
                  return i == 777 ? 5000 : isEmpty ? 0 : i % 7;
                }),
          drawn("rows of 3 to 12", 6001, 300, [](int64_t i) { return 3 + i * 5 % 10; }),
          drawn("rows of 0 to 299", 1200, 2000, [](int64_t i) { return i * 37 % 300; }),
          drawn("rows of more than 16384", 3, 20000, [](int64_t i) { return 16384 + i; })};
}

namespace {
struct PackingTypes {
  Problem problem;
  IndexType csrIndex;
};
} // namespace
constexpr PackingTypes kPackingTypes[] = {{{ValueType::f64, true}, IndexType::i32},
                                          {{ValueType::f32, true}, IndexType::i64}};

std::vector<PackingCase> packingCases(const std::vector<TestMatrix> &matrices) {
  const GpuModel gpu = llvm::cantFail(loadGpuModel("h200"));
  std::vector<PackingCase> out;
  std::set<std::string> texts;
  for (const TestMatrix &matrix : matrices) {
    const SparsityProfile seen = profile(matrix.view(ValueType::f64, nullptr));
    for (const auto &[problem, csrIndex] : kPackingTypes)
      for (const Format &format : formats()) {
        if (!format.packing)
          continue;
        const Offer offer = offerOf(format, {seen, problem, gpu, {}});
        if (offer.plans.empty())
          continue;
        for (const Plan &plan : {offer.plans.front(), widened(offer.plans.back())})
          if (texts.insert(nameOf(problem.type) + plan.text()).second)
            out.push_back({problem, plan, csrIndex, matrix.rows});
      }
  }
  return out;
}

} // namespace specmv::simt
