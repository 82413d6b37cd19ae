// Multiplies on the host executor: a layout in the executor's memory and the steps over it,
// launches with their arguments in the void ** that cuLaunchKernel would get.
#pragma once

#include "generator/layout.h"
#include "generator/steps.h"
#include "tests/simt/kernel.h"
#include "tests/simt/memory.h"

#include <map>
#include <string>
#include <vector>

namespace specmv::simt {

// Scalars and vectors of a product; the numbers are rounded to the problem's type.
struct Product {
  double alpha = 1, beta = 0;
  std::vector<double> x;
  std::vector<double> y; // the result as well
};

class Loaded {
public:
  Loaded(const Layout &layout, int64_t rows, int64_t cols, ValueType type);

  // Copies the values again, after storeValues changed them.
  void updateValues(const Layout &layout);

  // Runs the steps, with the kernels of `source`; the seed also decides which of two streams is
  // ahead. Returns the first finding, empty if none.
  std::string multiply(const Steps &steps, uint64_t source, Product &product, unsigned seed);

private:
  struct Bound { // one argument of a launch: its value, or its pointer
    alignas(8) char bytes[8];
  };
  // What a step needs to be run.
  struct Context {
    uint64_t source;
    const Product &product;
    unsigned seed;
  };
  std::string run(const Launch &launch, const Context &context) const;
  std::string run(const Copy &copy, const Context &context) const;
  std::string run(const HostFunction &function, const Context &context) const;
  static std::string run(const LibraryCall &call, const Context &context);
  std::string bind(const Argument &argument, const Parameter &parameter, const Product &product,
                   Bound &out) const;
  const Buffer *bufferOf(const Argument &argument) const;

  ValueType type_;
  std::map<std::string, Buffer> arrays_, scratch_, host_;
  std::map<std::string, ElementType> hostTypes_;
  std::map<std::string, int64_t> integers_;
  Buffer x_, y_;
};

} // namespace specmv::simt
