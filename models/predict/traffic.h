// Our own model of time: what a plan must move and do, against the measured rates of a GPU.
#pragma once

#include "models/gpu.h"

#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <cstdint>
#include <optional>

namespace specmv {

// How a kernel does its work, beside the rates of the GPU: fitted for each format.
struct Pace {
  double efficiency = 1; // share of the memory rate that streaming reaches
  double overlap = 2;    // of streaming, gathers and work: 1 if they add up, large if only the
                         // longest counts
  double gathers = 1;    // what a sector of x costs, in times of the GPU's rate
  double adjoining = 0;  // how much less, for each further sector of the same 128 bytes
  double latency = 1;    // of a pass, in times of chainNs
  double waves = 1;      // of beginning a wave of threads, in times of waveNs
  double uneven = 0; // how much SMs wait for the one with the most blocks: 0 not at all, 1 fully
  bool operator==(const Pace &) const = default;
};

// Rows of a kernel whose lanes walk a row to its end. The row that 8^i rows are as long as takes
// passes[i] passes: few long rows last when all others are done.
struct LongRows {
  static constexpr size_t kSizes = 8;
  std::array<double, kSizes> passes{};
  double perWave = 0;    // of a warp that is resident, on average
  bool areFirst = false; // rows are sorted, the longest ones begin first
  bool operator==(const LongRows &) const = default;
};

// What one product must move and do, estimated from the profile; the input of the traffic model.
struct Traffic {
  int64_t storedBytes = 0; // arrays of the layout
  int64_t usedBytes = 0;   // these, and of x and y what is read and written; 0: storedBytes
  int64_t slots = 0;       // values of it, those of padding too; 0: those of the entries only
  int64_t streamBytes = 0; // arrays that are read once in order, and y
  int64_t gatherBytes = 0; // x, in the 32-byte sectors that L2 must deliver
  int64_t stagedBytes = 0; // x, as blocks copy it to shared memory before they multiply
  // Of x and y, where L2 does not hold them: what is read in order, and single sectors.
  int64_t orderlyBytes = 0, scatteredBytes = 0;
  double adjoining = 0;     // further sectors of x in the same 128 bytes, for each one
  double workUs = 0;        // instructions for entries, rows and lines of L1, all SMs together
  double stagingUs = 0;     // what blocks wait for while they stage x
  int64_t blocks = 0;       // of threads; 0: so many that SMs have equally much to do
  int64_t threads = 0;      // threads launched
  int64_t steps = 0;        // passes of the inner loop, summed over threads
  int64_t longestChain = 0; // passes of the slowest thread: what imbalance costs
  std::optional<LongRows> longRows = {}; // of formats whose lanes walk rows to their ends
  // Loads that must return one after another before the first column can be read. CSR-vector has
  // one: where a thread's row begins. ELL has none, since places follow from the row's number.
  int32_t dependentLoads = 0;
  int32_t threadsPerSm = 0; // that registers leave room for; 0: as many as the GPU holds
  double launches = 1;      // of a library's call: its time in launches
  Pace pace = {};
  double hostUs = 0;  // copies to and from the host and its work, beyond what they overlap
  double caution = 1; // how much worse than predicted a plan counts where plans are ordered,
                      // because predictions of its kind err by more
  bool operator==(const Traffic &) const = default;
};

// Microseconds for one product, matrix and vectors on the device, back to back with others:
//   hostUs + the longer of periodUs and
//            launches x launchUs + dependentLoads x loadNs + the product itself
//
// Of the bytes that a product uses the share `beyond` comes from memory, the others from L2:
//   beyond = 1 / (1 + (l2.share x l2Bytes / usedBytes) ^ l2.sharpness)
//
// bulk: three times that overlap as Pace::overlap tells, (a^p + b^p + c^p)^(1/p), and staging, in
// which blocks do nothing else:
//   streaming  streamBytes at the efficiency's share of the rate of L2 or memory, and orderlyBytes
//   gathers    gatherBytes at gatherGBs, scatteredBytes at l2.scatteredGBs
//   work       workUs
// Gathers and work take longer where the blocks do not divide evenly among the SMs.
//
// A pass of a thread's loop takes chainNs, and dramDelay times as long where memory is read; a wave
// is as many threads as are resident at a time. Passes overlap with the bulk in part; beginning
// waves does not. Where lanes walk rows to their ends, all resident rows share the memory rate as
// long as there are enough of them, and then passes of the few longest ones are left. These begin
// anywhere in the run, unless rows are sorted: the last of n rows at n / (n + 1) of it.
double predictUs(const Traffic &traffic, const GpuModel &gpu);

// The names of the rates that this reads.
llvm::ArrayRef<const char *> trafficRates();

// What the time is spent on. Of times that overlap in part each has the share of its power.
struct ProductTime {
  double launchUs = 0; // launches, and where they are nearly nothing, the period between two
  double streamUs = 0; // streamed and staged bytes
  double gatherUs = 0; // gathered bytes
  double waitUs = 0;   // for loads and passes, and for work of threads, beyond what bytes hide
  double hostUs = 0;
  double totalUs = 0; // predictUs(): the sum of these, but for rounding
};
ProductTime productTime(const Traffic &traffic, const GpuModel &gpu);

} // namespace specmv
