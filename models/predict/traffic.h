// Our own time model: compares the traffic and work of a plan with the measured rates of a GPU.
#pragma once

#include "models/gpu.h"

#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <cstdint>
#include <optional>

namespace specmv {

// The efficiency of a kernel, relative to the rates of the GPU; fitted for each format.
struct Pace {
  double efficiency = 1; // share of the memory rate that streaming reaches
  double overlap = 2; // overlap of streaming, gathers and work: 1 if they add up, large if only the
                      // longest counts
  double gathers = 1; // cost of a sector of x, in multiples of the GPU's rate
  double adjoining = 0; // gain for each further sector of the same 128 bytes
  double latency = 1;   // time of a pass, in multiples of chainNs
  double crowding = 0;  // further time of a pass if a whole wave is resident, as a part of it
  double waves = 1;     // time to start a wave of threads, in multiples of waveNs
  double uneven = 0;    // wait of SMs for the one with the most blocks: 0 none, 1 full
  double lastWave = 0;  // time of the last wave beyond its share of threads: 0 none, 1 a whole wave
  double leastUs = 0;   // time of the stages of the kernel for a tiny matrix, without its launch
  bool operator==(const Pace &) const = default;
};

// The rows of a kernel whose lanes walk a row to its end. passes[i] is the number of passes of a
// row such that 8^i rows are at least that long: a few long rows still run when all others are
// done.
struct LongRows {
  static constexpr size_t kSizes = 8;
  std::array<double, kSizes> passes{};
  double perWave = 0;    // mean passes of a resident warp
  bool areFirst = false; // rows are sorted, so the longest ones begin first
  bool operator==(const LongRows &) const = default;
};

// The traffic and work of one product, estimated from the profile; the input of the traffic model.
struct Traffic {
  int64_t storedBytes = 0; // arrays of the layout
  int64_t usedBytes = 0;   // storedBytes and the accessed parts of x and y; 0: storedBytes alone
  int64_t vectorBytes = 0; // x and y, for which L2 leaves room beside the arrays
  int64_t slots = 0;       // values stored, with padding; 0: one for each entry
  int64_t streamBytes = 0; // arrays that are read once in order, and y
  int64_t gatherBytes = 0; // x, in the 32-byte sectors that L2 must deliver
  int64_t stagedBytes = 0; // x, when blocks copy it to shared memory before they multiply
  // Parts of x and y that come from memory instead of L2: parts read in order, and single sectors.
  int64_t orderlyBytes = 0, scatteredBytes = 0;
  double adjoining = 0;  // further sectors of x in the same 128 bytes, per sector
  double workUs = 0;     // instructions for entries, rows and lines of L1, all SMs together
  double stagingUs = 0;  // time that nothing hides: blocks stage x, or store rows at their end
  double storedLast = 1; // part of its rows that a thread stores when it has walked all of them
  int64_t blocks = 0;    // blocks of threads; 0: enough to load all SMs equally
  int64_t threads = 0;   // threads launched
  int64_t storingThreads = 0; // those of them that make no pass: each stores the 0 of an empty row
  int64_t steps = 0;          // passes of the inner loop, summed over threads
  int64_t longestChain = 0;   // passes of the slowest thread: the cost of imbalance
  std::optional<LongRows> longRows = {}; // for formats whose lanes walk rows to their ends
  // Loads that must return one after another before the first column can be read. CSR-vector has
  // one: the start of a thread's row. ELL has none, since positions follow from the row's number.
  int32_t dependentLoads = 0;
  int32_t threadsPerSm = 0; // limit by registers; 0: as many as the GPU holds
  double launches = 1; // of kernels; for a library's call, its fixed time in multiples of launchUs
  bool isOfLibrary = false; // a library's kernels do not begin early, ours do
  Pace pace = {};
  double hostUs = 0;  // the host's copies and work, except the part that overlaps
  double caution = 1; // factor on the predicted time where plans are ordered, above 1
                      // if predictions for this kind of plan have larger errors
  bool operator==(const Traffic &) const = default;
};

// Microseconds for one product, with the matrix and vectors on the device, back to back with
// others:
//   hostUs + the longer of periodUs and
//            launches x launchUs + dependentLoads x loadNs + the product itself
// The loads and the product are combined with Pace::leastUs, the time of a kernel's stages where
// there is hardly anything to multiply; the longer of both hides most of the other.
// A launch of a kernel of ours, which begins early, takes a share of launchUs, launch.early.
//
// The share `beyond` of the bytes that a product uses comes from memory, the rest from L2:
//   1 / (1 + (l2.share x l2Bytes / usedBytes) ^ l2.sharpness)
// For our kernels, which tell L2 what to keep, it is at most 1 - sixteenthsKept() / 16.
//
// bulk: three times that overlap by the exponent p = Pace::overlap, (a^p + b^p + c^p)^(1/p), and
// staging, during which blocks do nothing else:
//   streaming  streamBytes at the efficiency's share of the rate of L2 or memory, and orderlyBytes
//   gathers    gatherBytes at gatherGBs, scatteredBytes at l2.scatteredGBs
//   work       workUs
// Gathers and work take longer if the blocks do not divide evenly among the SMs.
//
// A pass of a thread's loop takes chainNs, dramDelay times as long when it reads memory, and longer
// the more of a wave is resident. A wave is the number of threads that are resident at a time.
// Passes overlap with the bulk in part; starting waves does not. If lanes walk rows to their ends,
// all resident rows share the memory rate as long as there are enough of them. Afterwards only
// passes of the few longest rows remain. These begin anywhere in the run unless rows are sorted:
// the last of n rows begins at n / (n + 1) of it. Sorted ones begin with the first wave, and make
// as many passes beside the other waves as those make. After whole waves, a last one with few
// threads takes longer than its share of the threads, by which the whole time grows. (If neither
// this nor the residency counted for the longest rows, predictions would be slightly worse.)
double predictUs(const Traffic &traffic, const GpuModel &gpu);

// Predicts a product in a CUDA graph of many, which is replayed. There the GPU starts a kernel by
// itself: no kernel waits for the host, so there is no period. A launch takes the share
// launch.replayed of the time that it takes among launches: of launchUs, for our kernels times
// launch.early.
double predictReplayUs(const Traffic &traffic, const GpuModel &gpu);

// The times of both. Plans are compared by the mean of replays and of launches for which no kernel
// waits: the host's period hides differences that show in graphs and beside other work, and it is
// another one on each host.
struct BothTimes {
  double us, unhiddenUs, replayedUs; // unhidden: predictUs() with a period of 0
  double comparedUs() const { return (unhiddenUs + replayedUs) / 2; }
};
BothTimes predictBoth(const Traffic &traffic, const GpuModel &gpu);

// The share of bytes that come from memory rather than L2 where so many bytes are used in turn and
// nothing says which of them L2 keeps.
double shareBeyondL2(double usedBytes, const GpuModel &gpu);

// The share of a product's bytes that come from memory.
double shareFromMemory(const Traffic &traffic, const GpuModel &gpu);

// The number of threads of a wave: those of the product that are resident at a time.
int64_t threadsOfWave(const Traffic &traffic, const GpuModel &gpu);

// Microseconds that memory takes to deliver bytes in single sectors.
double scatteredUs(int64_t bytes, const GpuModel &gpu);

// The rates that predictions read.
llvm::ArrayRef<Rate> trafficRates();

// The parts of the time. Times that partly overlap are divided in proportion to their powers.
struct ProductTime {
  double launchUs = 0; // launches, and periodUs
  double periodUs = 0; // the rest of the period of a very short product, which more work would fill
  double streamUs = 0; // streamed and staged bytes
  double gatherUs = 0; // gathered bytes
  double waitUs = 0;   // loads, passes, stages and work of threads that bytes do not hide
  double hostUs = 0;
  double totalUs = 0; // predictUs(): the sum of the parts, apart from rounding
};
ProductTime productTime(const Traffic &traffic, const GpuModel &gpu);

} // namespace specmv
