// Times the whole way from a matrix to the last of n products, for any way of making a product.
#pragma once

#include "runtime/cusparse/cusparse.h"
#include "runtime/measure/verify.h"
#include "runtime/specialize.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace specmv {

// The numbers of products that are timed.
constexpr int64_t kProductCounts[] = {1, 10, 100, 1000, 10'000};

// As a contender, we are called so; all others are cuSPARSE's.
constexpr const char *kOwnContender = "specmv";

enum class Side : uint8_t { device, host };
const char *nameOf(Side side);

// What exists before the clock starts: the matrix on both sides, vectors on the device, and a
// handle of cuSPARSE. The values of the matrix are those of the trial.
struct SetupBed {
  std::shared_ptr<const GpuDevice> gpu;
  Trial trial;
  CsrView onHost; // refers to the pattern that was given and to the trial
  DeviceBuffer rowPtr, col, val, x, y;
  std::shared_ptr<const CusparseHandle> handle; // null if there is no cuSPARSE
  std::string whyNoHandle;

  static llvm::Expected<std::unique_ptr<SetupBed>> make(const CsrView &a,
                                                        std::shared_ptr<const GpuDevice> gpu);
  // The matrix as one who has it on that side gives it, without copies of earlier calls.
  SourceMatrix source(Side side) const;
};

// A product with all that it owns, for the default stream.
struct MadeProduct {
  std::function<llvm::Error(double alpha, DevicePointer x, double beta, DevicePointer y)> run = {};
  std::string plan = {};
  int64_t storedBytes = 0;
  SetupTimes parts = {}; // of ours
  double handleUs = 0;   // that cuSPARSE's handle alone would take; 0: it had one
};

// A way from the matrix to a product.
struct SetupContender {
  std::string name;  // "specmv", "cusparse-coo"
  std::string state; // from which it starts: "cold", "pack", "again", "structure", ...
  std::function<llvm::Expected<MadeProduct>(const SetupBed &, Side)> make = {};
  // Brings that state about before each run; not timed.
  std::function<llvm::Error(const SetupBed &, Side)> before = {};
  int64_t products = 0;            // if not 0: it knows this number, and is run for no other
  bool once = false;               // takes so long that it is run once, from the device
  bool conversionIsCounted = true; // false: the arrays of its format were there before
  std::string why = {};            // why it cannot be had; empty if it can
};

struct TotalTime {
  int64_t n;
  double us;
  bool measured; // else continued from a smaller n by the time of a warm product
};

struct SetupTime {
  std::string contender, state;
  int64_t products = 0; // that it knew of; 0: none
  Side from = Side::device;
  bool conversionIsCounted = true;
  std::string plan = {};
  double setupUs = 0;                 // until the product could be run
  double productUs = 0;               // of a warm product
  std::vector<TotalTime> totals = {}; // by kProductCounts, or the one of `products`
  int64_t storedBytes = 0;
  int64_t peakBytes = 0; // of device memory that the set-up took at a time; 0: unknown
  SetupTimes parts = {};
  double handleUs = 0; // in setupUs; 0: a handle of cuSPARSE was there
  bool verified = false;
  double maxErrorRatio = 0;
  std::string why = {}; // why there are no times; empty if there are
};

// Runs the contender as often as its time allows and takes medians; checks its product once.
llvm::Expected<SetupTime> measureSetup(const SetupContender &contender, const SetupBed &bed,
                                       Side side);

// Whether so many runs, the longest of which took so long, are enough for a median.
bool isEnough(size_t runs, double sumUs, double longestUs);
// How many of kProductCounts are run: so many that the products take a limited time, and one.
size_t countsToRun(double productUs);
// The totals of all counts: those measured, and the last of them continued.
std::vector<TotalTime> continuedTotals(const std::vector<double> &measuredUs, double productUs);

} // namespace specmv
