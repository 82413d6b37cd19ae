// Times a product on the GPU, with the same protocol in run, bench and profile.
#pragma once

#include "models/csr.h"
#include "runtime/cuda/product.h"

#include <functional>
#include <vector>

namespace specmv {

// Vectors on the device: x is random, y is filled with NaN.
struct DeviceVectors {
  DeviceBuffer x, y;
  int64_t count = 1;             // number of vectors, in rows
  DeviceBuffer scalars = {};     // 1 and 0, if kernels read alpha and beta on the GPU
  DeviceBuffer rowsOfX = {};     // working memory, if passes do not divide the vectors
  StreamHandle stream = nullptr; // for products with them

  Scalars plainScalars() const;
  static llvm::Expected<DeviceVectors> make(const GpuDevice &gpu, int64_t rows, int64_t cols,
                                            ValueType type);
  // Makes `count` vectors, for kernels that multiply the problem's number per pass.
  static llvm::Expected<DeviceVectors> make(const GpuDevice &gpu, int64_t rows, int64_t cols,
                                            const Problem &problem, int64_t count);
};

// Puts one product on a stream.
class Enqueue {
public:
  template <class Put>
  Enqueue(Put put, StreamHandle stream = nullptr) // NOLINT: implicit on purpose
      : stream(stream), put_(std::move(put)) {}
  llvm::Error operator()() const { return put_(); }

  StreamHandle stream;

private:
  std::function<llvm::Error()> put_;
};

// Makes vectors whose x is one repeated small number. One number is good enough to compare plans,
// and drawing random numbers on the host would take longer than a trial.
llvm::Expected<DeviceVectors> plainVectors(const GpuDevice &gpu, int64_t rows, int64_t cols,
                                           const Problem &problem, StreamHandle stream);

// Puts y = A x by a loaded plan, or products with several vectors, on the stream of the vectors or
// on another one. Refers to both.
Enqueue enqueue(const GpuProduct &product, const DeviceVectors &vectors);
Enqueue enqueue(const GpuProduct &product, const DeviceVectors &vectors, StreamHandle stream);

// Sets how carefully a product is timed.
struct Protocol {
  int batches = 7;
  double batchUs = 3000; // duration of a batch
  int minPerBatch = 5, maxPerBatch = 500;
  double hopeless = 20; // factor above the fastest so far that is timed briefly
};
// For reported figures: a batch is long enough that the resolution of events, half a microsecond,
// does not matter.
constexpr Protocol kForFigures;
// For finding the fastest of some plans: one that takes 1.5 times as long cannot become it.
constexpr Protocol kToMeasure{.hopeless = 1.5};
// This protocol finds the fastest plan while set-up time counts: the resolution of events causes
// 0.3 percent of error, and timing takes about as long as a set-up.
constexpr Protocol kToTry{.batches = 3, .batchUs = 200, .minPerBatch = 1, .hopeless = 1.5};

// Sets how often a product is run for a measurement.
struct Effort {
  int batches, perBatch; // warm
  int cold;
  int repeats;        // runs that must give equal bits
  bool brief = false; // fewer runs than the protocol says, since the product is too slow
  double us = 0;      // time of one product while finding this out
};

// Returns the effort for a product that took `us` once. It is brief if the product is hopeless
// compared with the fastest one so far, `fastestUs` (0: none).
Effort effortFor(double us, double fastestUs, const Protocol &protocol = kForFigures);

// Times a few products to determine the effort: one to warm up, then one or two to see if the
// product is much too slow. Some more, once or twice, find the size of a batch and show if the
// product is too slow.
llvm::Expected<Effort> effortFor(const GpuDevice &gpu, const Enqueue &product, double fastestUs = 0,
                                 const Protocol &protocol = kForFigures);

// Returns the microseconds of one product in a sequence of `count`.
llvm::Expected<double> timeBatch(const GpuDevice &gpu, const Enqueue &product, int count);

// Returns the microseconds of one product in a sequence with a warm L2: the median of the batches.
llvm::Expected<double> measureWarm(const GpuDevice &gpu, const Enqueue &product,
                                   const Effort &effort);
llvm::Expected<double> measureWarm(const GpuDevice &gpu, const Enqueue &product);

// Times a product to find the fastest of several. If it is hopeless compared with the fastest so
// far, it is not timed further, and the result is the time of the first few.
llvm::Expected<double> measureToCompare(const GpuDevice &gpu, const Enqueue &product,
                                        double fastestUs, const Protocol &protocol);
// Returns about how long that takes for a product of this many microseconds.
double comparingUs(double us, const Protocol &protocol);

// Fills L2 with other data, as other work of a program does: packing leaves the arrays of a plan in
// L2, where a program would not find them.
llvm::Error fillL2(const GpuDevice &gpu, StreamHandle stream);

// Returns the microseconds of one product after fillL2(): the median of some runs.
llvm::Expected<double> measureCold(const GpuDevice &gpu, const Enqueue &product,
                                   const Effort &effort);

// Returns the median, for an even number the upper one; reorders the list.
double median(std::vector<double> &times);

// Returns the GB/s of a device-to-device copy, bytes read plus bytes written.
llvm::Expected<double> measureCopyGBs(const GpuDevice &gpu);

} // namespace specmv
