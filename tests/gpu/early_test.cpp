// Tests that products, which begin before the work in front of them on the stream has ended, still
// see what that work stores: copies, fills, other products, new values, work of another stream and
// calls of the host.
#include "generator/format.h"
#include "runtime/cuda/overlap.h"
#include "tests/api/api_testing.h"
#include "tests/gpu/device_vectors.h"
#include "tests/gpu/graph.h"

#include <chrono>
#include <thread>

using namespace specmv;

namespace {

using Elements = std::vector<double>;

// Buffers of n values, each in its own buffer.
class Buffers {
public:
  Buffers(const GpuDevice &gpu, size_t count, int64_t n) : gpu_(gpu), bytes_(n * sizeof(double)) {
    for (size_t i = 0; i < count; ++i)
      buffers_.push_back(llvm::cantFail(gpu.uploaded(Elements(n, -1).data(), bytes_)));
  }

  void store(size_t i, const Elements &x) { llvm::cantFail(gpu_.upload(at(i), x.data(), bytes_)); }
  Elements operator[](size_t i) const {
    Elements out(bytes_ / sizeof(double));
    llvm::cantFail(gpu_.download(out.data(), at(i), bytes_));
    return out;
  }
  DevicePointer at(size_t i) const { return buffers_[i].pointer(); }
  size_t bytes() const { return bytes_; }

private:
  const GpuDevice &gpu_;
  size_t bytes_;
  std::vector<DeviceBuffer> buffers_;
};

void putProduct(specmvPlan_t plan, DevicePointer x, DevicePointer y, StreamHandle stream,
                double beta = 0) {
  const double one = 1;
  REQUIRE(specmvExecute(plan, &one, reinterpret_cast<void *>(x), &beta, reinterpret_cast<void *>(y),
                        stream) == SPECMV_STATUS_SUCCESS);
}

// Runs the work on the stream, and then as a graph, several times each, and checks what it leaves.
template <class Work, class Check>
void runBothWays(const GpuDevice &gpu, StreamHandle stream, const Work &work, const Check &check) {
  for (int time = 0; time < 5; ++time) {
    work();
    llvm::cantFail(gpu.synchronize(stream));
    check();
  }
  for (int time = 0; time < 5; ++time) {
    runAsGraph(gpu, stream, 3, work);
    check();
  }
}

// The matrix, 40 vectors x of integers and what the products must be.
struct Known {
  apitest::Csr<int32_t, double> a = bandCsr<double>(20000);
  std::vector<Elements> x, ax;

  Known() {
    for (uint64_t i = 0; i < 40; ++i) {
      x.push_back(apitest::integers<double>(a.cols, i));
      ax.push_back(apitest::naiveProduct(a, 1.0, x.back(), 0.0, x.back()));
    }
  }
};

const Known &known() {
  static const Known once;
  return once;
}

// Calls test(plan, gpu, stream) with a plan of each format that stores the matrix.
template <class Test> void withPlans(const Test &test) {
  const std::shared_ptr<const GpuDevice> gpu = gpuMachine().gpu;
  const auto stream = llvm::cantFail(makeStream(*gpu));
  int plans = 0;
  for (const Format &format : formats()) {
    CAPTURE(std::string(format.name));
    const specmvPlanOptions_t options = apitest::gpuOptions(format.name, true);
    const apitest::Matrix matrix(known().a);
    specmvPlan_t plan = nullptr;
    const specmvStatus_t status = specmvCreatePlan(&plan, matrix, &options);
    CAPTURE(apitest::detail());
    if (status == SPECMV_STATUS_NOT_APPLICABLE || status == SPECMV_STATUS_MISSING)
      continue; // no blocks, or no cuSPARSE
    REQUIRE(status == SPECMV_STATUS_SUCCESS);
    ++plans;
    test(plan, *gpu, stream.get());
    specmvDestroyPlan(plan);
  }
  CHECK(plans >= 12);
}

} // namespace

TEST_CASE("products see x as the copy in front of them stored it, and y as the product did") {
  withPlans([](specmvPlan_t plan, const GpuDevice &gpu, StreamHandle stream) {
    const Known &k = known();
    Buffers from(gpu, k.x.size(), k.a.cols), to(gpu, k.x.size(), k.a.rows), now(gpu, 2, k.a.rows);
    for (size_t i = 0; i < k.x.size(); ++i)
      from.store(i, k.x[i]);
    runBothWays(
        gpu, stream,
        [&] {
          for (size_t i = 0; i < k.x.size(); ++i) {
            llvm::cantFail(gpu.copy(now.at(0), from.at(i), now.bytes(), stream));
            putProduct(plan, now.at(0), now.at(1), stream);
            llvm::cantFail(gpu.copy(to.at(i), now.at(1), now.bytes(), stream));
            llvm::cantFail(gpu.fill(now.at(0), 0xff, now.bytes(), stream)); // NaN
            llvm::cantFail(gpu.fill(now.at(1), 0xff, now.bytes(), stream));
          }
        },
        [&] {
          for (size_t i = 0; i < k.x.size(); ++i)
            CHECK(to[i] == k.ax[i]);
        });
  });
}

TEST_CASE("products see the results of the products in front of them") {
  const Known &k = known();
  Elements want = k.x[0];
  for (int i = 0; i < 6; ++i)
    want = apitest::naiveProduct(k.a, 1.0, want, i < 3 ? 0.0 : 1.0, k.x[0]);
  withPlans([&](specmvPlan_t plan, const GpuDevice &gpu, StreamHandle stream) {
    Buffers v(gpu, 7, k.a.rows);
    v.store(0, k.x[0]);
    runBothWays(
        gpu, stream,
        [&] {
          for (size_t i = 0; i < 6; ++i) {
            if (i >= 3)
              llvm::cantFail(gpu.copy(v.at(i + 1), v.at(0), v.bytes(), stream));
            putProduct(plan, v.at(i), v.at(i + 1), stream, i < 3 ? 0 : 1);
          }
        },
        [&] { CHECK(v[6] == want); });
  });
}

TEST_CASE("products wait for work of another stream and for calls of the host") {
  withPlans([](specmvPlan_t plan, const GpuDevice &gpu, StreamHandle stream) {
    const Known &k = known();
    const auto other = llvm::cantFail(makeStream(gpu));
    const auto fork = llvm::cantFail(makeEvent(gpu, EventKind::ordering)),
               join = llvm::cantFail(makeEvent(gpu, EventKind::ordering));
    Buffers from(gpu, 2, k.a.cols), now(gpu, 4, k.a.rows);
    for (size_t i = 0; i < 2; ++i)
      from.store(i, k.x[i]);
    const auto sleep = [](void *) { std::this_thread::sleep_for(std::chrono::microseconds(300)); };
    runBothWays(
        gpu, stream,
        [&] {
          llvm::cantFail(gpu.fill(now.at(0), 0xff, now.bytes(), stream));
          llvm::cantFail(record(gpu, fork.get(), stream));
          llvm::cantFail(waitFor(gpu, fork.get(), other.get()));
          llvm::cantFail(callOnHost(gpu, sleep, nullptr, other.get()));
          llvm::cantFail(gpu.copy(now.at(0), from.at(0), now.bytes(), other.get()));
          llvm::cantFail(record(gpu, join.get(), other.get()));
          putProduct(plan, from.at(1), now.at(1), stream);
          llvm::cantFail(waitFor(gpu, join.get(), stream));
          putProduct(plan, now.at(0), now.at(2), stream);
          llvm::cantFail(callOnHost(gpu, sleep, nullptr, stream));
          putProduct(plan, now.at(1), now.at(3), stream);
        },
        [&] {
          CHECK(now[1] == k.ax[1]);
          CHECK(now[2] == k.ax[0]);
          CHECK(now[3] == apitest::naiveProduct(k.a, 1.0, k.ax[1], 0.0, k.ax[1]));
        });
  });
}

TEST_CASE("products use the new values that were put on the stream in front of them") {
  withPlans([](specmvPlan_t plan, const GpuDevice &gpu, StreamHandle stream) {
    const Known &k = known();
    Buffers x(gpu, 1, k.a.cols), y(gpu, 20, k.a.rows);
    x.store(0, k.x[0]);
    std::vector<DeviceBuffer> values;
    for (int i = 0; i < 20; ++i) {
      Elements scaled = k.a.val;
      for (double &value : scaled)
        value *= i;
      values.push_back(llvm::cantFail(gpu.uploaded(scaled.data(), scaled.size() * sizeof(double))));
    }
    for (size_t i = 0; i < 20; ++i) {
      REQUIRE(specmvUpdateValues(plan, reinterpret_cast<void *>(values[i].pointer()), stream) ==
              SPECMV_STATUS_SUCCESS);
      putProduct(plan, x.at(0), y.at(i), stream);
    }
    llvm::cantFail(gpu.synchronize(stream));
    for (size_t i = 0; i < 20; ++i) {
      Elements want = k.ax[0];
      for (double &value : want)
        value *= static_cast<double>(i);
      CHECK(y[i] == want);
    }
  });
}
