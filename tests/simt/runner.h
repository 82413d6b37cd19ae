// Multiplies on the host executor: holds a layout in the executor's memory and runs the steps over
// it, launches with their arguments in the void ** that cuLaunchKernel would get.
#pragma once

#include "generator/layout.h"
#include "generator/steps.h"
#include "models/problem.h"
#include "tests/simt/kernel.h"
#include "tests/simt/memory.h"

#include <map>
#include <string>
#include <vector>

namespace specmv::simt {

// Scalars and vectors of a product; the numbers are rounded to the problem's type.
struct Product {
  double alpha = 1, beta = 0;
  std::vector<double> x = {};
  std::vector<double> y = {}; // the result as well
  // For several vectors: their number, and the positions of their values (Binding::strideX).
  int64_t count = 1, strideX = 1, stepX = 1, strideY = 1, stepY = 1;
  // A fused step has these, too.
  std::vector<std::vector<double>> vectors = {};
  std::vector<double> scalars = {}, sums = {};
};

class Loaded {
public:
  // x and y have room for the problem's vectors. Scalars are put where the problem says that
  // kernels read them.
  Loaded(const Layout &layout, int64_t rows, int64_t cols, const Problem &problem);

  // Copies the values again, after storeValues changed them.
  void updateValues(const Layout &layout);

  // Runs the steps with the kernels of `source`. The seed also decides how late the host is
  // with its detour and, if the result may be apart, whether it is. Returns the first finding,
  // empty if none.
  std::string multiply(const Steps &steps, uint64_t source, Product &product, unsigned seed);
  // Does the same with several vectors. If X has no rows that the product can read, it gets a copy
  // that has.
  std::string multiplySeveral(const Steps &steps, uint64_t source, Product &product, unsigned seed);

private:
  struct Bound { // one argument of a launch: its value, or its pointer
    alignas(8) char bytes[8];
  };
  // The data that a step needs to run.
  struct Context {
    uint64_t source;
    const Product &product;
    unsigned seed;
  };
  std::string run(const Launch &launch, const Context &context) const;
  std::string run(const HostDetour &detour, const Context &context) const;
  static std::string run(const LibraryCall &call, const Context &context);
  std::string bind(const Argument &argument, const Parameter &parameter, const Product &product,
                   Bound &out) const;
  const Buffer *bufferOf(const Argument &argument) const;
  void loadStep(const Product &product);
  void readStepBack(Product &product) const;
  std::string copyToRows(const Context &context);
  std::string runAll(const Steps &steps, const Context &context) const;

  ValueType type_; // of x and y
  bool scalarsAreOnGpu_, resultIsApart_;
  std::map<std::string, Buffer> arrays_, scratch_;
  std::map<std::string, ElementType> types_;
  std::map<std::string, int64_t> integers_;
  int vectors_;
  Buffer x_, y_, added_, rowsOfX_, alpha_, beta_;
  // A fused step has vectors, and scalars and sums of one value each.
  std::vector<Buffer> ofStep_, scalars_, sums_;
  bool readsRowsOfX_ = false; // in place of x
  bool addsY_ = false;        // y itself has the addend
};

} // namespace specmv::simt
