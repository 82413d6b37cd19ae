// A plan of the C API for Python: products of arrays of any library.
#pragma once

#include "runtime/adapters/python/context.h"
#include "runtime/adapters/python/matrix.h"
#include "runtime/adapters/python/turns.h"

namespace specmv_python {

struct ProductArguments {
  nb::handle x, out, alpha, beta, y, stream;
};

class Plan {
public:
  // `keep` is what must live as long as the plan: the matrix, or None.
  Plan(const Matrix &matrix, Context *context, Plan *structureOf, const nb::dict &given,
       nb::object keep);
  Plan(const Plan &) = delete;
  Plan &operator=(const Plan &) = delete;
  ~Plan();

  nb::object execute(const ProductArguments &in);
  // Stores the values here and in the plan of the transpose, and in the kept matrix if all are in
  // host memory. Returns the stream, whether nothing is left to keep, and a copy of what is left if
  // that is in host memory.
  nb::tuple update(nb::handle values, nb::handle stream, Plan *transpose, Matrix *kept);
  // Refuses if the process was forked during an update and none has succeeded since.
  void checkWhole();

  const specmvPlanShape_t &shape() const { return shape_; }
  bool isOnGpu() const { return isOnGpu_; }
  std::string text();
  std::string report();
  std::string json();
  double setupMs();
  int64_t bytes();
  bool isReady();
  void wait();
  bool waitFor(int milliseconds);
  void cancel();
  void permutation(nb::handle rows, nb::handle columns);

private:
  struct Scalar;
  struct Product;
  Scalar scalarOf(nb::handle number, const char *name) const;
  void *streamFor(nb::handle given, const Array &x, const Array &out) const;
  void checkVector(const Array &array, const char *name, int64_t rows) const;
  void checkPlace(const Array &array, const char *name) const;
  void takeX(const ProductArguments &in, Product &product) const;
  static void takeOrder(Product &product, const Array *out);
  void takeResult(const ProductArguments &in, Product &product) const;
  void takeY(const ProductArguments &in, Product &product) const;
  specmvStatus_t run(const Product &product, void *stream);
  void checkValues(const Array &values) const;
  void take(const Array &values, void *stream);
  // Calls the C API without the GIL, and not beside another call for this plan.
  template <typename Call> void alone(Call call);
  std::string textBy(specmvStatus_t (*get)(specmvPlan_t, const char **));

  specmvPlan_t handle_ = nullptr;
  specmvPlanShape_t shape_ = SPECMV_PLAN_SHAPE_INIT;
  bool isOnGpu_ = false;
  int device_ = 0;
  bool scalarsOnGpu_ = false, vectorsOnGpu_ = false, manyStreams_ = false;
  nb::object kept_; // the matrix
  Array newest_;    // the values of the last update, which a stream may still read
  Turns turns_;
};

} // namespace specmv_python
