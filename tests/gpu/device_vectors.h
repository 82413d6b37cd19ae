// Vectors on a GPU, and matrices, for products through the C API.
#pragma once

#include "tests/api/several_testing.h"
#include "tests/gpu/gpu.h"

inline apitest::VectorPlace vectorsOnDevice() {
  auto gpu = specmv::gpuMachine().gpu;
  return {[gpu](void *bytes, size_t size) {
            auto buffer =
                std::make_shared<specmv::DeviceBuffer>(llvm::cantFail(gpu->uploaded(bytes, size)));
            return std::shared_ptr<void>(buffer, reinterpret_cast<void *>(buffer->pointer()));
          },
          [gpu](void *bytes, const void *at, size_t size) {
            specmv::waitForGpu(*gpu);
            llvm::cantFail(gpu->download(bytes, reinterpret_cast<specmv::DevicePointer>(at), size));
          }};
}

// Rows of 5 diagonals, which every format can store.
template <class Value> apitest::Csr<int32_t, Value> bandCsr(int64_t n) {
  apitest::Csr<int32_t, Value> a{n, n, {0}, {}, {}};
  for (int64_t i = 0; i < n; ++i) {
    for (const int64_t d : {-40, -1, 0, 1, 40})
      if (i + d >= 0 && i + d < n && (i + d) % 17 != 3) {
        a.col.push_back(static_cast<int32_t>(i + d));
        a.val.push_back(static_cast<Value>((i + 3 * d) % 7 + 8));
      }
    a.rowPtr.push_back(static_cast<int32_t>(a.col.size()));
  }
  return a;
}

// One row that many blocks share.
template <class Value> apitest::Csr<int32_t, Value> longRowCsr() {
  apitest::Csr<int32_t, Value> a = apitest::randomCsr<int32_t, Value>(300, 70000, 9);
  for (int64_t k = 0; k < 60000; ++k) {
    a.col.push_back(static_cast<int32_t>((k * 7919) % 70000));
    a.val.push_back(static_cast<Value>(k % 3 - 1));
  }
  a.rowPtr.push_back(static_cast<int32_t>(a.col.size()));
  ++a.rows;
  return a;
}
