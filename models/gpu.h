// The data of one GPU that the models use: every field of Table 2 of Li, Yang and Li 2015 (the PMF
// paper, see models/predict/pmf/pmf.h) and the measured rates that our own model uses. There is one
// JSON file per GPU in models/gpus/, in which each number states its origin:
//   {"name": "h200", "arch": "sm_90", "busBits": {"value": 6144, "source": "data sheet"}, ...,
//    "rates": {"csr5": {"tilePasses": {"value": 1, "source": "fitted to ..."}, ...}, ...},
//    "setup": {"csr5": {"packPasses": {"value": 2, "source": "estimate"}, ...}, ...}}
// A GPU whose rates were not measured names a built-in model whose rates it borrows: "rates":
// "h200"; the same holds for "setup". "benchmarks" (models/gpus/fields.h) and "curves"
// (models/gpus/fields.h) are optional. A GPU without a file borrows all numbers of a model, scaled
// (models/gpus/borrow.h).
#pragma once

#include "models/curves.h"
#include "models/predict/strips/fitted.h"
#include "models/rates.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace specmv {

struct GpuModel {
  std::string name; // "gt645m", "h200"
  std::string arch; // "sm_90"

  // PMF paper, Table 2. B in GB/s; F in GHz (operations per nanosecond and stream processor); BW in
  // bits; CR in GHz, of a memory with two transfers a clock.
  double pcieGBs = 0;        // B
  double intRate = 0;        // F_i
  double singleRate = 0;     // F_s
  double doubleRate = 0;     // F_d
  int64_t busBits = 0;       // BW
  double memoryClockGHz = 0; // CR
  int64_t cores = 0;         // C
  int64_t warpSize = 32;     // W, at most 1,024
  int64_t blockSize = 256;   // BS
  int64_t indexBytes = 4;    // S_i

  // Used by the strips and statistics papers.
  int64_t sms = 0, warpsPerSm = 0, threadsPerSm = 0;

  // Used by our own model (models/predict/traffic.h). GB/s; microseconds.
  double dramGBs = 0;   // device-to-device copy, read plus written
  double l2GBs = 0;     // streaming from a working set that fits L2
  double gatherGBs = 0; // random 32-byte sectors from L2
  double launchUs = 0;  // start and end of a kernel
  double periodUs = 0;  // least time from one launch to the next, for the shortest kernel
  double loadNs = 0;    // one load while all others wait for it
  double chainNs = 0;   // one pass of a row loop, unrolled so that several loads are in flight
  double waveNs = 0;    // one wave: all threads that fit at a time, each with an empty row loop
  double dramDelay = 0; // factor on the time of a pass that reads memory instead of L2
  int64_t l2Bytes = 0;
  int64_t sharedBytesPerBlock = 0; // the maximum, static and dynamic together

  // The rates by which products are priced; generator/rate_table.h has a default for each.
  Rates rates;
  // The cost of a set-up (models/predict/setup.h).
  Rates setup;
  // The models of strips and statistics predict from these (models/predict/strips/strips.h); no
  // choice depends on them.
  std::optional<Benchmarks> benchmarks;
  // Measurements without a matrix; no choice depends on them either.
  std::optional<Curves> curves;

  std::string ratesFrom; // the built-in model that lends these `rates`; empty: its own
  bool isScaled = false; // the lender's numbers are scaled by data sheets (models/gpus/borrow.h)
};

// A model, with its digest, that several plans share. Empty until one is assigned.
class SharedModel {
public:
  SharedModel() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a model is what it is
  SharedModel(GpuModel gpu);
  SharedModel(GpuModel gpu, std::string digest);

  explicit operator bool() const { return known_ != nullptr; }
  // NOLINTNEXTLINE(google-explicit-constructor): what reads a model reads this
  operator const GpuModel &() const { return known_->gpu; }
  const GpuModel *operator->() const { return &known_->gpu; }
  // digestOf() the model.
  const std::string &digest() const { return known_->digest; }

private:
  struct Known {
    GpuModel gpu;
    std::string digest;
  };
  std::shared_ptr<const Known> known_;
};

// The names of the built-in models, ascending.
std::vector<std::string> gpuModelNames();

// The model of that name, a built-in one or that of a GPU with a data sheet, whose rates are
// borrowed (models/gpus/borrow.h); badCall for another name. Or one read from a path that ends in
// .json.
llvm::Expected<GpuModel> loadGpuModel(llvm::StringRef nameOrPath);

llvm::Expected<SharedModel> sharedGpuModel(llvm::StringRef nameOrPath);

// The JSON text of such a model, unchecked.
llvm::Expected<std::string> gpuModelText(llvm::StringRef nameOrPath);

// Every field except "benchmarks" and "curves" must be present, each number must be in its range
// and have its source, and no other field may appear. Otherwise the error is badInput and names
// `origin` and the field. The text has at most 256 KiB.
llvm::Expected<GpuModel> parseGpuModel(llvm::StringRef text, llvm::StringRef origin);
// Parses a model as parseGpuModel() does and remembers the last few. Parsing takes a millisecond,
// and only the first plan should wait for it.
llvm::Expected<SharedModel> rememberedGpuModel(const std::string &text, llvm::StringRef origin);

// A digest of all numbers of a model on which a choice depends, so not of its benchmarks and
// curves: models with equal digests give equal predictions.
std::string digestOf(const GpuModel &gpu);

} // namespace specmv
