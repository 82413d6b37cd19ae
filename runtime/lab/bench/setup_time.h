// Times everything from a matrix to the last of n products, for any way of making a product.
#pragma once

#include "runtime/cusparse/cusparse.h"
#include "runtime/measure/verify.h"
#include "runtime/plan/specialize.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace specmv {

// Numbers of products to time.
constexpr int64_t kProductCounts[] = {1, 10, 100, 1000, 10'000};

// Our name as a contender; all others are cuSPARSE's.
constexpr const char *kOwnContender = "specmv";

enum class Side : uint8_t { device, host };
const char *nameOf(Side side);

// Everything that exists before the clock starts: the matrix on both sides, vectors on the device,
// and a handle of cuSPARSE. The values of the matrix are those of the trial, random ones unless its
// own are asked for.
struct SetupBed {
  std::shared_ptr<const GpuDevice> gpu;
  Trial trial;
  CsrView onHost; // refers to the given pattern and to the trial
  DeviceBuffer rowPtr, col, val, x, y;
  std::shared_ptr<const CusparseHandle> handle; // null if there is no cuSPARSE
  std::string whyNoHandle;

  static llvm::Expected<std::unique_ptr<SetupBed>>
  make(const CsrView &a, std::shared_ptr<const GpuDevice> gpu,
       CheckedValues values = CheckedValues::drawn);
  // Returns the matrix as a caller with arrays on that side passes it, without copies of earlier
  // calls.
  SourceMatrix source(Side side) const;
};

// A product with everything that it owns. Set-ups are timed on the default stream.
struct MadeProduct {
  std::function<llvm::Error(double alpha, DevicePointer x, double beta, DevicePointer y,
                            StreamHandle stream)>
      run = {};
  std::string plan = {};
  int64_t storedBytes = 0;
  SetupTimes parts = {}; // parts of our set-up
  double handleUs = 0;   // time of making cuSPARSE's handle alone; 0: it had one
};

// A way from the matrix to a product.
struct SetupContender {
  std::string name;  // "specmv", "cusparse-coo"
  std::string state; // where it starts: "cold", "pack", "again", "structure", ...
  std::function<llvm::Expected<MadeProduct>(const SetupBed &, Side)> make = {};
  // Establishes that state before each run; not timed.
  std::function<llvm::Error(const SetupBed &, Side)> before = {};
  int64_t products = 0;            // if not 0: the only number to run, known beforehand
  bool once = false;               // takes so long that it is run once, from the device
  bool conversionIsCounted = true; // false: the arrays of its format were there before
  std::string why = {};            // why it is not available; empty if it is
};

struct TotalTime {
  int64_t n;
  double us;
  bool measured; // false: extrapolated from a smaller n by the time of a warm product
};

struct SetupTime {
  std::string contender, state;
  int64_t products = 0; // the number known to it; 0: none
  Side from = Side::device;
  bool conversionIsCounted = true;
  std::string plan = {};
  double setupUs = 0;                 // time until the product could be run
  double productUs = 0;               // time of a warm product
  std::vector<TotalTime> totals = {}; // by kProductCounts, or the one of `products`
  int64_t storedBytes = 0;
  int64_t peakBytes = 0; // peak of the set-up's device memory; 0: unknown
  SetupTimes parts = {};
  double handleUs = 0; // included in setupUs; 0: cuSPARSE's handle existed
  bool verified = false;
  double maxErrorRatio = 0;
  std::string why = {}; // why there are no times; empty if there are
};

// Runs the contender as often as its time allows and takes medians; checks its product once.
llvm::Expected<SetupTime> measureSetup(const SetupContender &contender, const SetupBed &bed,
                                       Side side);

// Returns true if this many runs, the longest of which took longestUs, are enough for a median.
bool isEnough(size_t runs, double sumUs, double longestUs);
// Returns how many of kProductCounts to run: as many as keep the products within a time limit, and
// one.
size_t countsToRun(double productUs);
// Returns the totals of all counts: the measured ones, and extrapolations from the last.
std::vector<TotalTime> continuedTotals(const std::vector<double> &measuredUs, double productUs);

} // namespace specmv
