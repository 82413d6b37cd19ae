// Times a product on the GPU, by the same protocol in run, bench and profile.
#pragma once

#include "models/csr.h"
#include "runtime/cuda/product.h"

#include <functional>
#include <vector>

namespace specmv {

// Vectors on the device: x is random, y is filled with NaN.
struct DeviceVectors {
  DeviceBuffer x, y;
  int64_t count = 1;             // of vectors, in rows
  DeviceBuffer scalars = {};     // 1 and 0, if kernels read alpha and beta on the GPU
  DeviceBuffer rowsOfX = {};     // working memory, if passes do not divide the vectors
  StreamHandle stream = nullptr; // of products with them

  Scalars plainScalars() const;
  static llvm::Expected<DeviceVectors> make(const GpuDevice &gpu, int64_t rows, int64_t cols,
                                            ValueType type);
  // So many, for kernels that multiply the problem's number in a pass.
  static llvm::Expected<DeviceVectors> make(const GpuDevice &gpu, int64_t rows, int64_t cols,
                                            const Problem &problem, int64_t count);
};

// Puts one product on a stream.
class Enqueue {
public:
  template <class Put>
  Enqueue(Put put, StreamHandle stream = nullptr) // NOLINT: such a function is one
      : stream(stream), put_(std::move(put)) {}
  llvm::Error operator()() const { return put_(); }

  StreamHandle stream;

private:
  std::function<llvm::Error()> put_;
};

// The same, but x is one small number: to compare plans it serves as well, and to draw random ones
// on the host would take longer than a trial.
llvm::Expected<DeviceVectors> plainVectors(const GpuDevice &gpu, int64_t rows, int64_t cols,
                                           const Problem &problem, StreamHandle stream);

// y = A x by a loaded plan, of several vectors if there are. Refers to both.
Enqueue enqueue(const GpuProduct &product, const DeviceVectors &vectors);

// What a product is timed for, and so how carefully.
struct Protocol {
  int batches = 7;
  double batchUs = 3000; // a batch lasts about so long
  int minPerBatch = 5, maxPerBatch = 500;
  double hopeless = 20; // what takes so many times as long as the fastest so far is timed briefly
};
// For figures: a batch lasts so long that the resolution of events, half a microsecond, does not
// matter.
constexpr Protocol kForFigures;
// To find the fastest of some plans: what takes 1.5 times as long does not become it.
constexpr Protocol kToMeasure{.hopeless = 1.5};
// The same where the set-up counts: 0.3 percent by the resolution of events, and about as long as a
// set-up takes.
constexpr Protocol kToTry{.batches = 3, .batchUs = 200, .minPerBatch = 1, .hopeless = 1.5};

// How often a product is run to be measured.
struct Effort {
  int batches, perBatch; // warm
  int cold;
  int repeats;        // that must give equal bits
  bool brief = false; // fewer runs than the protocol asks for, since the product is too slow
  double us = 0;      // that one product took to find this out
};

// The effort for a product that took `us` once. It is a brief one if the product is hopeless beside
// the fastest one so far, `fastestUs` (0: there is none).
Effort effortFor(double us, double fastestUs, const Protocol &protocol = kForFigures);

// The same, with the time taken from a few products: one to warm up, one or two to find out whether
// the product is much too slow, and some more, once or twice, to find the size of a batch and
// whether it is too slow.
llvm::Expected<Effort> effortFor(const GpuDevice &gpu, const Enqueue &product, double fastestUs = 0,
                                 const Protocol &protocol = kForFigures);

// Microseconds of one product in a sequence of `count`.
llvm::Expected<double> timeBatch(const GpuDevice &gpu, const Enqueue &product, int count);

// Microseconds of one product in a sequence of products, with a warm L2: the median of the batches.
llvm::Expected<double> measureWarm(const GpuDevice &gpu, const Enqueue &product,
                                   const Effort &effort);
llvm::Expected<double> measureWarm(const GpuDevice &gpu, const Enqueue &product);

// The same to find the fastest of some products. One that is hopeless beside the fastest so far is
// not timed further: the result is what the first few took.
llvm::Expected<double> measureToCompare(const GpuDevice &gpu, const Enqueue &product,
                                        double fastestUs, const Protocol &protocol);
// About how long that takes for a product of so many microseconds.
double comparingUs(double us, const Protocol &protocol);

// Microseconds of one product after a buffer larger than L2 was written: the median of some runs.
llvm::Expected<double> measureCold(const GpuDevice &gpu, const Enqueue &product,
                                   const Effort &effort);

// The one in the middle, of an even number the upper one; the list is reordered.
double median(std::vector<double> &times);

// GB/s of a device-to-device copy, bytes read plus bytes written.
llvm::Expected<double> measureCopyGBs(const GpuDevice &gpu);

} // namespace specmv
