// The vectors, scalars and sums of a fused step in the executor's memory.
#include "tests/simt/numbers.h"
#include "tests/simt/runner.h"

namespace specmv::simt {

void Loaded::loadStep(const Product &product) {
  ofStep_.clear(), scalars_.clear(), sums_.clear();
  const auto add = [&](auto &to, const char *name, const std::vector<double> &values) {
    to.push_back(vectorOf(name, static_cast<int64_t>(values.size()), type_));
    store(type_, values, to.back());
    to.back().trackWrites();
  };
  for (const std::vector<double> &vector : product.vectors)
    add(ofStep_, "a vector of the step", vector);
  for (const double scalar : product.scalars)
    add(scalars_, "a scalar of the step", {scalar});
  for (const double sum : product.sums)
    add(sums_, "a sum of the step", {sum});
}

void Loaded::readStepBack(Product &product) const {
  for (size_t k = 0; k < product.vectors.size(); ++k)
    readBack(type_, ofStep_[k], product.vectors[k]);
  for (size_t k = 0; k < product.sums.size(); ++k)
    product.sums[k] = read(type_, sums_[k].data());
}

} // namespace specmv::simt
