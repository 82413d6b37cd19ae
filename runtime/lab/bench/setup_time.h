// Times of set-ups: everything from a matrix to the last of n products, by contenders in several
// states.
#pragma once

#include "models/profile/profile.h"
#include "runtime/cusparse/cusparse.h"
#include "runtime/measure/verify.h"
#include "runtime/plan/specialize.h"

#include "llvm/ADT/ArrayRef.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace specmv {

// --- Setup time ----------------------------------------------------------------------------------

// Times everything from a matrix to the last of n products, for any way of making a product.

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

// --- Setup states --------------------------------------------------------------------------------

// Makes our contenders for measuring set-ups: one for each state of the process and of the cache
// that a set-up may begin with.

// Measure them in their order, since each finds the result of those before it: the first fill the
// empty cache. They use a cache of their own, a temporary directory that is removed with the last
// of them. To add a state, add a line to the table in setup_states.cpp.
llvm::Expected<std::vector<SetupContender>> ownContenders(const Machine &machine,
                                                          const Request &request);

// --- Setup cusparse ------------------------------------------------------------------------------

// Makes cuSPARSE's contenders for measuring set-ups: each algorithm with its own buffer,
// preprocessing and conversion.

// The profile gives BSR the size of its blocks, at no cost to it.
llvm::Expected<std::vector<SetupContender>>
cusparseContenders(const SparsityProfile &profile, const Problem &problem, const Machine &machine);

// --- Setup bench ---------------------------------------------------------------------------------

// Measures the set-ups of one matrix in one type: ours from every state, and cuSPARSE's.

// Our states, in the order of measurement. States that this file does not have are the
// caller's contenders.
constexpr const char *kSetupStates[] = {"first", "cold",      "pack", "new",
                                        "again", "structure", "now",  "products"};

// The states of our set-ups to measure, and the side on which the matrix is. All set-ups of
// cuSPARSE are measured.
struct SetupAsked {
  std::vector<std::string> states = {}; // from kSetupStates; empty: all
  std::optional<Side> from = {};        // nullopt: from both sides
};

struct SetupBench {
  int64_t csrBytes = 0;
  std::vector<SetupTime> times;
};

// Measures the set-ups; the request may prescribe the choice. The machine's cache is neither read
// nor written, and modules that the GPU has loaded are forgotten. Other contenders are measured
// last.
llvm::Expected<SetupBench> benchSetup(const CsrView &a, const Request &request,
                                      const Machine &machine,
                                      const std::vector<SetupContender> &others = {},
                                      const SetupAsked &asked = {});

// --- Setup figures -------------------------------------------------------------------------------

// Summarizes the times of a matrix's set-ups: our set-up in products, and when it has paid compared
// with cuSPARSE's best including its own set-up.

// A cost of setupUs + n productUs for n products.
struct CostLine {
  double setupUs, productUs;
};
// Returns the least number of products for which `ours` takes less time than each of the others;
// nullopt if there is none, or nothing to compare with.
std::optional<double> paidAfter(const CostLine &ours, llvm::ArrayRef<CostLine> others);

// The figures of our set-up from one state and one side.
struct SetupFigure {
  std::string state;
  Side from = Side::device;
  int64_t products = 0; // the number known to it; 0: none
  double setupUs = 0, productUs = 0;
  double ratio = 0;                     // cuSPARSE's fastest product time / ours; 0: none is right
  std::optional<double> breakEven = {}; // by paidAfter(), against all of cuSPARSE's
  // For each of kProductCounts, whether ours takes less time than cuSPARSE's best.
  std::vector<bool> isBelow = {};
  // Our total / cuSPARSE's best, if ours knew the number of products; 0: none is right.
  double overBest = 0;

  double inProducts() const { return setupUs / productUs; }
  // Returns the number of products after which the set-up has paid: set-up and products take less
  // time than as many products of cuSPARSE's fastest format without its set-up.
  std::optional<double> paysAfter() const {
    return paidAfter({setupUs, productUs}, CostLine{0, ratio * productUs});
  }
};

// Returns the figures of all our contenders with a right product.
std::vector<SetupFigure> figuresOf(llvm::ArrayRef<SetupTime> times);

// Returns the first contender whose product is wrong; null if there is none.
const SetupTime *wrongSetup(llvm::ArrayRef<SetupTime> times);

} // namespace specmv
