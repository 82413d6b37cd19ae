// Plans of specmv multiply on the rank's place.
#ifndef SPECMV_SAMPLES_DISTRIBUTED_PLANS_H
#define SPECMV_SAMPLES_DISTRIBUTED_PLANS_H

#include "partition.h"
#include "place.h"

#include <utility>

namespace distributed {

// All plans of a rank have this context.
inline specmvContext_t openContext(const Ranks &ranks) {
  specmvContextOptions_t options = SPECMV_CONTEXT_OPTIONS_INIT;
  options.threads = ranks.threads;
  options.log = [](void *, specmvLogLevel_t, const char *sentence) {
    std::fprintf(stderr, "specmv: %s\n", sentence);
  };
  specmvContext_t context = nullptr;
  check(specmvCreateContext(&context, &options), "specmvCreateContext");
  return context;
}

// A product owns a plan. It copies what it needs, so the arrays of the matrix may go afterwards.
class Product {
public:
  Product() = default;
  // formats: nullptr, or those that may be chosen; accumulates: products add to y.
  Product(const Csr &a, const Place &place, specmvContext_t context, const char *formats,
          bool accumulates)
      : beta_(accumulates ? 1 : 0) {
    specmvPlanOptions_t options = SPECMV_PLAN_OPTIONS_INIT;
    options.target = place.onGpu ? SPECMV_TARGET_GPU : SPECMV_TARGET_HOST;
    options.device = place.device;
    options.vectorsOnGpu = place.onGpu;
    options.betaIsZero = !accumulates;
    options.formats = formats;
    options.context = context;
    // A solver multiplies often, so it may wait for the compiler. Nothing is loaded later.
    options.kernels = SPECMV_KERNELS_SPECIALIZED;
    specmvMatrix_t matrix = nullptr;
    check(specmvCreateCsr(&matrix, a.rows, a.cols, static_cast<int64_t>(a.val.size()),
                          a.rowPtr.data(), a.col.data(), a.val.data(), SPECMV_INDEX_32I,
                          SPECMV_R_64F),
          "specmvCreateCsr");
    check(specmvCreatePlan(&plan_, matrix, &options), "specmvCreatePlan");
    check(specmvDestroyMatrix(matrix), "specmvDestroyMatrix");
  }
  Product(Product &&other) noexcept
      : plan_(std::exchange(other.plan_, nullptr)), beta_(other.beta_) {}
  Product &operator=(Product &&other) noexcept {
    std::swap(plan_, other.plan_);
    std::swap(beta_, other.beta_);
    return *this;
  }
  ~Product() { specmvDestroyPlan(plan_); }

  // y = A x, or y += A x
  void multiply(const double *x, double *y, void *stream) const {
    const double one = 1;
    check(specmvExecute(plan_, &one, x, &beta_, y, stream), "specmvExecute");
  }
  explicit operator bool() const { return plan_ != nullptr; }
  std::string text() const {
    const char *text = "";
    check(specmvGetPlanText(plan_, &text), "specmvGetPlanText");
    return text;
  }

private:
  specmvPlan_t plan_ = nullptr;
  double beta_ = 0;
};

// The listed rows are selected from x: y[i] = x[rows[i]]. A matrix with a 1 in each row gathers
// what is to be sent, so that the sample needs no kernel of its own.
inline Csr selection(const std::vector<int64_t> &rows, int64_t cols) {
  Csr a{static_cast<int64_t>(rows.size()), cols};
  for (const int64_t row : rows) {
    a.col.push_back(static_cast<int>(row));
    a.val.push_back(1);
    a.rowPtr.push_back(static_cast<int>(a.col.size()));
  }
  return a;
}

} // namespace distributed

#endif
