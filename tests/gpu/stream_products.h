// Products on a stream of their own, for tests in which several threads multiply at once.
#pragma once

#include "runtime/cuda/overlap.h"
#include "tests/api/api_testing.h"
#include "tests/gpu/gpu.h"

namespace specmv {

// Returns true if 20 products on their own stream, each with another x, are right.
inline bool areRight(const GpuDevice &gpu, specmvPlan_t plan,
                     const apitest::Csr<int32_t, double> &a, uint64_t seed) {
  const auto stream = llvm::cantFail(makeStream(gpu));
  const size_t bytes = static_cast<size_t>(a.rows) * sizeof(double);
  std::vector<DeviceBuffer> x, y;
  for (uint64_t i = 0; i < 20; ++i) {
    x.push_back(
        llvm::cantFail(gpu.uploaded(apitest::integers<double>(a.cols, seed + i).data(), bytes)));
    y.push_back(llvm::cantFail(gpu.allocate(bytes)));
  }
  const double one = 1, zero = 0;
  bool isRight = true;
  for (size_t i = 0; i < x.size(); ++i)
    isRight &= specmvExecute(plan, &one, reinterpret_cast<void *>(x[i].pointer()), &zero,
                             reinterpret_cast<void *>(y[i].pointer()),
                             stream.get()) == SPECMV_STATUS_SUCCESS;
  llvm::cantFail(gpu.synchronize(stream.get()));
  std::vector<double> back(static_cast<size_t>(a.rows));
  for (uint64_t i = 0; i < y.size(); ++i) {
    llvm::cantFail(gpu.download(back.data(), y[i].pointer(), bytes));
    isRight &= back == apitest::naiveProduct(a, 1.0, apitest::integers<double>(a.cols, seed + i),
                                             0.0, back);
  }
  return isRight;
}

} // namespace specmv
