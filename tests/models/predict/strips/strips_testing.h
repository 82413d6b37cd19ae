// The cases for the tests of the strips and statistics models: GPUs, and times on known planes.
#pragma once

#include "models/base/error.h"
#include "models/lab/strips/fit.h"
#include "models/predict/strips/strips.h"

#include <doctest/doctest.h>

#include <string>

namespace specmv {

// The strips paper's GPU (Tesla C2050: its table II), as far as its models use it.
inline GpuModel c2050() {
  GpuModel gpu;
  gpu.sms = 14, gpu.warpsPerSm = 48, gpu.threadsPerSm = 1536;
  return gpu;
}

// Times of all the benchmark matrices of a kernel on a C2050, by us(I, P_NZ).
template <class Us>
BenchmarkTimes timesBy(StripsKernel kernel, const Us &us, RowLaw law = RowLaw::fixed,
                       ValueType type = ValueType::f64) {
  BenchmarkTimes out{kernel, law, type, {}};
  for (const BenchmarkMatrix &m : benchmarkMatrices(kernel, c2050(), int64_t{1} << 40))
    out.times.push_back(
        {m.i, m.entriesOfRow, us(static_cast<double>(m.i), static_cast<double>(m.entriesOfRow))});
  return out;
}

inline Fitted fit(const BenchmarkTimes &of) { return llvm::cantFail(fitBenchmarks(of)); }

inline std::string refusalOf(llvm::Expected<Fitted> fitted, Status expected = Status::badInput) {
  REQUIRE_FALSE(static_cast<bool>(fitted));
  const auto [status, sentence] = describe(fitted.takeError());
  CHECK(status == expected);
  return sentence;
}

} // namespace specmv
