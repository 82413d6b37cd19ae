// Times cuSPARSE's algorithms on a matrix.
#include "runtime/yardstick.h"

#include "runtime/cusparse.h"
#include "runtime/measure.h"

#include <algorithm>

namespace specmv {

const YardstickTime *Yardstick::best() const {
  auto least = std::min_element(times.begin(), times.end(),
                                [](const auto &a, const auto &b) { return a.us < b.us; });
  return least == times.end() ? nullptr : &*least;
}

const YardstickTime *Yardstick::find(const std::string &name) const {
  auto found =
      std::find_if(times.begin(), times.end(), [&](const auto &t) { return t.name == name; });
  return found == times.end() ? nullptr : &*found;
}

static llvm::Expected<YardstickTime>
timeAlgorithm(const GpuDevice &gpu, const CusparseProduct &product, const char *name, bool cold) {
  const Enqueue run = [&] { return product.run(1, 0, nullptr); };
  YardstickTime time{name, 0, 0, product.setupMs()};
  auto us = measureWarm(gpu, run);
  if (!us)
    return us.takeError();
  time.us = *us;
  if (!cold)
    return time;
  auto usCold = measureCold(gpu, run);
  if (!usCold)
    return usCold.takeError();
  time.usCold = *usCold;
  return time;
}

llvm::Expected<Yardstick> measureCusparse(const std::shared_ptr<const GpuDevice> &gpu,
                                          const CsrView &a, DevicePointer x, DevicePointer y,
                                          bool cold) {
  auto matrix = CusparseMatrix::upload(gpu, a);
  if (!matrix)
    return matrix.takeError();
  Yardstick out;
  for (const CusparseAlgorithm &algorithm : kCusparseAlgorithms) {
    auto product = CusparseProduct::prepare(*matrix, algorithm, x, y);
    if (!product) {
      out.notes.push_back(std::string(algorithm.name) + ": " +
                          describe(product.takeError()).second);
      continue;
    }
    auto time = timeAlgorithm(*gpu, *product, algorithm.name, cold);
    if (!time)
      return time.takeError();
    out.times.push_back(*time);
  }
  return out;
}

int64_t csrBytes(const CsrView &a) {
  const auto v = static_cast<int64_t>(sizeOf(a.valueType));
  return a.nnz * (v + 4) + 4 * (a.rows + 1) + v * (a.cols + a.rows);
}

} // namespace specmv
