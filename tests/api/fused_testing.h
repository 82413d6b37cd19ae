// Fused steps on the fake GPU, whose kernels do nothing: tests see the calls of the driver.
#pragma once

#include "tests/api/fake_gpu_testing.h"
#include "tests/api/fused_step.h"

namespace apitest {

// A step of conjugate gradients, with a scalar of each kind.
inline specmvFusion_t cgStep() {
  specmvFusion_t fusion = SPECMV_FUSION_INIT;
  fusion.x = "p";
  fusion.epilogue = "q = ax * a + b; pq += p * q;";
  fusion.vectors = "p, q";
  fusion.written = "q";
  fusion.scalars = "a";
  fusion.gpuScalars = "b";
  fusion.sums = "pq";
  return fusion;
}
inline specmvFusion_t cgStepOf(const char *x) {
  specmvFusion_t fusion = cgStep();
  fusion.x = x;
  return fusion;
}

// The operands of cgStep() for matrices of at most 40 rows and columns.
struct CgOperands {
  double p[40] = {}, q[40] = {}, a = 2, b = 3, pq = 0;
  void *vectors[2] = {p, q};
  void *scalars[3] = {&a, &b, &pq};

  specmvStatus_t run(specmvFused_t step, void *stream = kStream) {
    return specmvExecuteFused(step, vectors, scalars, stream);
  }
};

// From now on every pointer is to memory on the GPU, or on the host.
inline void placeAllOnGpu(bool isOnGpu = true) {
  *ofFakeDriver<unsigned>("fakeMemoryType") = isOnGpu ? 2 : 1;
}

inline const Csr<int32_t, double> &squareMatrix() {
  static const auto &a = *new Csr<int32_t, double>(randomCsr<int32_t, double>(40, 40, 3));
  return a;
}

// The driver's calls of one run, which succeeds.
inline std::string callsOfRun(specmvFused_t step, void *stream = kStream) {
  CgOperands operands;
  return fakeCallsOf(
      [&] { CHECK_MESSAGE(operands.run(step, stream) == SPECMV_STATUS_SUCCESS, detail()); });
}

// Counts the kernels that these calls launch, in either way.
inline int launchesIn(const std::string &calls) {
  return countOf("cuLaunchKernel", calls) + countOf("cuLaunchKernelEx", calls);
}

} // namespace apitest
