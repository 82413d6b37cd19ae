// Fused steps with what they do, for tests on a GPU: their operands there, and a check of a run
// against the host.
#pragma once

#include "tests/api/fused_step.h"
#include "tests/gpu/device_vectors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace specmv {

// Numbers on the GPU.
template <class Value> class NumbersOnGpu {
public:
  explicit NumbersOnGpu(std::vector<Value> values)
      : host_(std::move(values)), gpu_(gpuMachine().gpu) {
    memory_ = llvm::cantFail(gpu_->uploaded(host_.data(), host_.size() * sizeof(Value)));
  }
  void *at() const { return reinterpret_cast<void *>(memory_.pointer()); }
  // Waits for all work of the GPU.
  const std::vector<Value> &read() {
    waitForGpu(*gpu_);
    llvm::cantFail(gpu_->download(host_.data(), memory_.pointer(), host_.size() * sizeof(Value)));
    return host_;
  }
  void fill(const std::vector<Value> &values) {
    llvm::cantFail(gpu_->upload(memory_.pointer(), values.data(), values.size() * sizeof(Value)));
  }

private:
  std::vector<Value> host_;
  std::shared_ptr<const GpuDevice> gpu_;
  DeviceBuffer memory_;
};

// p and q are vectors, a is a scalar of the call, b one on the GPU; what each run writes is q, s
// and t.
struct DescribedStep {
  const char *x, *epilogue;
  // x of a column, and q, s and t of a row: of p and q, and A x.
  double (*xOf)(double p, double j);
  void (*row)(double p, double ax, double &q, double &s, double &t);
};

constexpr double kA = 3, kB = -2;

inline const DescribedStep kFusedSteps[] = {
    {"p", "q = ax;\ns += p * q;\nt += q > 0;", [](double p, double) { return p; },
     [](double p, double ax, double &q, double &s, double &t) {
       q = ax, s += p * ax, t += ax > 0;
     }},
    {"p * b + (j % 2)", "const real old = q; if (i >= 0) { q = a * ax + old; } s += old; t += ax;",
     [](double p, double j) { return p * kB + std::fmod(j, 2); },
     [](double, double ax, double &q, double &s, double &t) { s += q, t += ax, q = kA * ax + q; }},
    {"p", "s += fabs(ax); t += 1; q = 7;", [](double p, double) { return p; },
     [](double, double ax, double &q, double &s, double &t) {
       s += std::fabs(ax), t += 1, q = 7;
     }}};

inline specmvFusion_t fusionOfStep(const DescribedStep &step) {
  specmvFusion_t fusion = SPECMV_FUSION_INIT;
  fusion.x = step.x;
  fusion.epilogue = step.epilogue;
  fusion.vectors = "p, q";
  fusion.written = "q";
  fusion.scalars = "a";
  fusion.gpuScalars = "b";
  fusion.sums = "s, t";
  return fusion;
}

// The operands of such a step of a matrix, and what a run on the host makes of them.
template <class Index, class Value> class FusedOperands {
public:
  FusedOperands(const apitest::Csr<Index, Value> &a, const DescribedStep &step)
      : step_(step), p_(apitest::integers<Value>(std::max<int64_t>({a.rows, a.cols, 1}), 5)),
        q_(apitest::integers<Value>(std::max<int64_t>(a.rows, 1), 6)), p(p_), q(q_),
        b({static_cast<Value>(kB)}), s(noNumber()), t(noNumber()) {}

  specmvStatus_t run(specmvFused_t fused, void *stream = nullptr) {
    auto scalar = static_cast<Value>(kA);
    void *vectors[] = {p.at(), q.at()}, *scalars[] = {&scalar, b.at(), s.at(), t.at()};
    const specmvStatus_t status = specmvExecuteFused(fused, vectors, scalars, stream);
    scalar = 99; // it was read
    return status;
  }
  void start() {
    q.fill(q_);
    s.fill(noNumber()), t.fill(noNumber());
  }
  // All numbers of one run from start() are integers, and exact unless the sums are too long.
  void check(const apitest::Csr<Index, Value> &a) {
    double sum = 0, other = 0;
    std::vector<Value> wanted(q_);
    for (int64_t i = 0; i < a.rows; ++i) {
      double ax = 0, row = wanted[static_cast<size_t>(i)];
      for (auto k = static_cast<size_t>(a.rowPtr[i]); k < static_cast<size_t>(a.rowPtr[i + 1]); ++k)
        ax += static_cast<double>(a.val[k]) *
              step_.xOf(p_[static_cast<size_t>(a.col[k])], static_cast<double>(a.col[k]));
      step_.row(p_[static_cast<size_t>(i)], ax, row, sum, other);
      wanted[static_cast<size_t>(i)] = static_cast<Value>(row);
    }
    CHECK(q.read() == wanted);
    CHECK(static_cast<double>(s.read()[0]) == doctest::Approx(sum).epsilon(tolerance()));
    CHECK(static_cast<double>(t.read()[0]) == doctest::Approx(other).epsilon(tolerance()));
  }

private:
  // Each run must store the sums.
  static std::vector<Value> noNumber() { return {std::numeric_limits<Value>::quiet_NaN()}; }
  // Sums in double are exact.
  static double tolerance() { return sizeof(Value) == 8 ? 1e-15 : 1e-5; }

  const DescribedStep &step_;
  const std::vector<Value> p_, q_;

public:
  NumbersOnGpu<Value> p, q, b, s, t;
};

} // namespace specmv
