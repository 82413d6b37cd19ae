// Prepares a call of cuSPARSE several times, with the matrix and a handle ready.
#include "runtime/lab/yardstick/preparation.h"

#include "runtime/lab/yardstick/convert.h"
#include "runtime/measure/measure.h"
#include "runtime/measure/stopwatch.h"

namespace specmv {

// The first time may load a library that links code; the median of three does not have it.
constexpr int kPreparations = 3;

llvm::Expected<double> preparationUs(const std::shared_ptr<const GpuDevice> &gpu,
                                     const std::string &routine, const Layout &layout,
                                     ValueType type) {
  auto matrix = uploadedMatrix(*gpu, layout);
  if (!matrix)
    return matrix.takeError();
  auto handle = makeCusparseHandle(gpu);
  if (!handle)
    return handle.takeError();
  std::vector<double> times;
  for (int i = 0; i < kPreparations; ++i) {
    if (llvm::Error error = gpu->synchronize(nullptr))
      return error;
    const Stopwatch clock;
    auto call = CusparseCall::prepare(gpu, routine, (*matrix)->layout, (*matrix)->finder(), type,
                                      {.handle = *handle});
    if (!call)
      return call.takeError();
    if (llvm::Error error = gpu->synchronize(nullptr))
      return error;
    times.push_back(clock.milliseconds() * 1000);
  }
  return median(times);
}

} // namespace specmv
