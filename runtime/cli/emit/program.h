// The parts of a standalone program that are the same for every plan, as text.
#pragma once

namespace specmv::cli {

inline constexpr char kProgramHead[] = R"(#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include <cuda_runtime.h>

)";

inline constexpr char kProgramTypes[] = R"(// --- The program

struct Packed {
  long long bytes;
  bool isInFile;
};

)";

inline constexpr char kProgramChecks[] =
    R"([[noreturn]] static void fail(int status, const char *what, const char *detail) {
  std::fprintf(stderr, "error: %s%s\n", what, detail);
  std::exit(status);
}

static void check(cudaError_t error) {
  if (error != cudaSuccess)
    fail(error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ? 3 : 1, "CUDA: ",
         cudaGetErrorString(error));
}
)";

// For kernels that leave L1 to x (Launch::leavesL1), as GpuDevice::leaveL1() does it.
inline constexpr char kProgramLeaveL1[] =
    R"(// Asks for no more shared memory on an SM than the kernel's blocks fill, so that x has the rest of
// L1.
template <class Kernel> static void leaveL1(Kernel *kernel, int blockThreads, int sharedBytes) {
  int blocks = 0, most = 0, reserved = 0;
  cudaFuncAttributes attributes{};
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, blockThreads, sharedBytes));
  check(cudaFuncGetAttributes(&attributes, kernel));
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
  check(cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, 0));
  if (most <= 0 || blocks <= 0)
    return;
  const int filled = blocks * (int(attributes.sharedSizeBytes) + sharedBytes + reserved);
  const int percent = (filled * 100 + most - 1) / most;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                             percent < 100 ? percent : 100));
}

)";

inline constexpr char kProgramMain[] = R"(
struct Matrix {
  std::vector<long long> rowPtr;
  std::vector<int> col;
  std::vector<Value> val;
};

static void readBytes(std::FILE *file, void *to, size_t bytes) {
  if (std::fread(to, 1, bytes, file) != bytes)
    fail(1, "the file of arrays is too short: ", kFile);
}

static std::FILE *openArrays(const char *path) {
  std::FILE *file = std::fopen(path, "rb");
  if (!file)
    fail(1, "cannot open the file of arrays; name it as the argument: ", path);
  char mark[sizeof kMark] = "";
  readBytes(file, mark, sizeof kMark - 1);
  if (std::strcmp(mark, kMark) != 0)
    fail(1, "this file of arrays was made for another program: ", path);
  return file;
}

static void *placed(std::FILE *file, const Packed &packed) {
  void *place = nullptr;
  const size_t bytes = size_t(packed.bytes);
  check(kOnHost && packed.isInFile ? cudaMallocHost(&place, bytes + 1)
                                   : cudaMalloc(&place, bytes + 1));
  if (!packed.isInFile) {
    check(cudaMemset(place, 0, bytes + 1));
    return place;
  }
  std::vector<char> read(bytes);
  readBytes(file, read.data(), bytes);
  check(cudaMemcpy(place, read.data(), bytes, cudaMemcpyDefault));
  return place;
}

template <class T> static std::vector<T> listIn(std::FILE *file, long long count) {
  std::vector<T> list((size_t(count)));
  readBytes(file, list.data(), list.size() * sizeof(T));
  return list;
}

// Between -0.5 and 0.5.
static Value xAt(long long i) { return Value((unsigned(i) * 2654435761U >> 8) % 4096) / 4096 - Value(0.5); }

// The largest productError() of y against A x in long double.
static long double worstError(const Matrix &a, const std::vector<Value> &y) {
  long double worst = 0;
  for (long long row = 0; row < kRows; ++row) {
    long double sum = 0, magnitude = 0;
    for (long long e = a.rowPtr[row]; e < a.rowPtr[row + 1]; ++e) {
      const long double product = (long double)a.val[e] * xAt(a.col[e]);
      sum += product;
      magnitude += std::isfinite(product) ? std::fabs(product) : 0;
    }
    const long long length = a.rowPtr[row + 1] - a.rowPtr[row];
    worst = std::fmax(worst, specmv::productError(y[row], sum, magnitude, length));
  }
  return worst;
}

template <class Work> static double microsecondsOf(int times, Work work) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  check(cudaEventRecord(begin));
  for (int i = 0; i < times; ++i)
    work();
  check(cudaEventRecord(end));
  check(cudaEventSynchronize(end));
  float ms = 0;
  check(cudaEventElapsedTime(&ms, begin, end));
  return ms * 1000.0 / times;
}

int main(int argc, char **argv) {
  std::FILE *file = openArrays(argc > 1 ? argv[1] : kFile);
  std::vector<void *> arrays;
  for (size_t i = 0; i + 1 < sizeof kArrays / sizeof *kArrays; ++i)
    arrays.push_back(placed(file, kArrays[i]));
  Matrix a;
  a.rowPtr = listIn<long long>(file, kRows + 1);
  a.col = listIn<int>(file, kEntries);
  a.val = listIn<Value>(file, kEntries);
  std::fclose(file);

  std::vector<Value> x((size_t(kCols))), y(size_t(kRows), std::numeric_limits<Value>::quiet_NaN());
  for (long long i = 0; i < kCols; ++i)
    x[i] = xAt(i);
  void *deviceX = nullptr, *deviceY = nullptr;
  check(cudaMalloc(&deviceX, x.size() * sizeof(Value) + 1));
  check(cudaMalloc(&deviceY, y.size() * sizeof(Value) + 1));
  check(cudaMemcpy(deviceX, x.data(), x.size() * sizeof(Value), cudaMemcpyDefault));
  check(cudaMemcpy(deviceY, y.data(), y.size() * sizeof(Value), cudaMemcpyDefault));
  const auto product = [&] {
    multiply(arrays.data(), static_cast<const Value *>(deviceX), static_cast<Value *>(deviceY));
  };

  prepare();
  product();
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  microsecondsOf(10, product); // warms up
  const double us = microsecondsOf(100, product);
  check(cudaGetLastError());
  check(cudaMemcpy(y.data(), deviceY, y.size() * sizeof(Value), cudaMemcpyDefault));

  const long double worst = worstError(a, y);
  std::printf("product    %.2f us, %.1f GB/s of CSR's bytes\n", us, double(kCsrBytes) / us / 1000);
  if (worst > 1)
    fail(1, "the product is wrong", "");
  std::printf("verified   to %.3f of the bound\n", double(worst));
}
)";

} // namespace specmv::cli
