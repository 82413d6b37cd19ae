// The walk of a kernel's threads through a matrix, its costs, and the rates by which it is priced.
#pragma once

#include "generator/format.h"
#include "models/predict/traffic.h"
#include "models/rate.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <string_view>

namespace specmv {

// --- Rates ---------------------------------------------------------------------------------------

// The rates that several formats read. A rate is a number of a GPU's model, fitted to measurements
// on that GPU: models/gpus/*.json, under "rates".

// Rates for x in L1 (gathers.cpp).
constexpr Rate kBytesInL1{"gather.l1Bytes", "bytes of the largest x that L1 keeps whole", 196608,
                          kNoFit};
constexpr Rate kEntriesInL1{
    "gather.l1Entries", "entries whose sectors of x L1 keeps, if it does not keep all of x", 4096};
constexpr Rate kLostInRows{"gather.lostInRows",
                           "share of a row's sectors of x that L1 loses before the row's next "
                           "entry, where the lanes of a warp read rows that share nothing",
                           0.6, kShareFit};
constexpr Rate kHitNs{"gather.hitNs",
                      "nanoseconds, over all SMs, of a line of x that a load finds in L1", 0.0015,
                      kNoFit};
// Rates for padded rows (padded.h).
constexpr Rate kPassesPerBatch{"padded.passesPerBatch",
                               "passes of CSR-vector's loop that a batch of 8 slots costs", 5,
                               kNoFit};
constexpr Rate kPassesPerKnownBatch{"padded.passesPerKnownBatch",
                                    "passes of CSR-vector's loop that a batch of 8 slots costs, if "
                                    "the number of slots is a constant of the kernel",
                                    4, kNoFit};
// These rates are for rows that several blocks share (open_rows.cpp).
constexpr Rate kMeetingPasses{"openRows.meetingPasses",
                              "passes of CSR-vector's loop that one meeting of the partial sums of "
                              "several blocks adds to the longest chain",
                              8, kNoFit};
// These rates are for triplets (formats/coo/part.cpp).
constexpr Rate kRunsPasses{
    "coo.runsPasses", "passes of CSR-vector's loop that the sums of runs add to the longest chain",
    30, kNoFit};

constexpr Rate kSharedRates[] = {kBytesInL1,     kEntriesInL1,    kLostInRows,
                                 kHitNs,         kPassesPerBatch, kPassesPerKnownBatch,
                                 kMeetingPasses, kRunsPasses};

// --- Pace ----------------------------------------------------------------------------------------

// The pace of a kernel: the rates by which its walk through a matrix (walk.h) is priced. A format
// declares a pace for each of its kernels that has one, for example `constexpr PaceRates
// kPace("csr5");`. A GPU's model has these rates in the group of that name: "csr5.overlap" and so
// on.

// A pace for one GPU: the numbers that the traffic model reads, and those that a walk needs in
// addition.
struct WalkPace {
  Pace pace = {};
  double l1Share = 0, keptBytes = 0, askedAgain = 0;
  double entryNsF32 = 0, entryNsF64 = 0, latencyF64 = 1;
  double rowNs = 0, emptyRowNs = 0, lineNs = 0;
  double scattered = 0;
  double caution = 1;
};

// A rate that every pace has. Its default is near the median of the paces measured on an H200.
struct PaceRate {
  Rate rate; // without the group's name
  double Pace::*ofPace;
  double WalkPace::*own;
};

// Nanoseconds are for the whole GPU: the time while all SMs work, divided by the number of entries,
// rows or lines. So 5e-4 are 2,000 entries in a nanosecond.
constexpr PaceRate kPaceRates[] = {
    {{"efficiency", "share of the memory rate that streaming reaches", 1, kEfficiencyFit},
     &Pace::efficiency,
     nullptr},
    {{"overlap", "overlap of streaming, gathers and work, as an exponent: 1 adds them", 1.8,
      kOverlapFit},
     &Pace::overlap,
     nullptr},
    {{"gathers", "time of a sector of x, in multiples of the time at gatherGBs", 1, kGathersFit},
     &Pace::gathers,
     nullptr},
    {{"adjoining",
      "gain in the rate of sectors of x, as a part of it, for each further sector in the same 128 "
      "bytes",
      0.4},
     &Pace::adjoining,
     nullptr},
    {{"latency", "time of a pass, in multiples of chainNs", 1, kLatencyFit},
     &Pace::latency,
     nullptr},
    {{"latencyF64", "time of a pass with vectors in f64, in multiples of one in f32", 1,
      kLatencyF64Fit},
     nullptr,
     &WalkPace::latencyF64},
    {{"crowding", "further time of a pass if a whole wave of threads is resident, as a part of it",
      0.2, kWideFit},
     &Pace::crowding,
     nullptr},
    {{"waves", "time to start a wave of threads, in multiples of waveNs", 0.5},
     &Pace::waves,
     nullptr},
    {{"uneven", "part of the time for which SMs wait for the one with the most blocks, 0 to 1", 0.2,
      kShareFit},
     &Pace::uneven,
     nullptr},
    {{"lastWave",
      "time of the last of several waves beyond its share of the threads: 0 none, 1 as long as a "
      "whole wave",
      0.1, kShareFit},
     &Pace::lastWave,
     nullptr},
    {{"leastUs", "microseconds that the shortest product takes without its launch", 1, kWideFit},
     &Pace::leastUs,
     nullptr},
    {{"l1Share", "share of L1 that keeps sectors which the rows of a block have in common", 0.6,
      kWideFit},
     nullptr,
     &WalkPace::l1Share},
    {{"keptBytes", "bytes of x that L1 keeps for all rows, if no shared memory is used", 120e3,
      kWideFit},
     nullptr,
     &WalkPace::keptBytes},
    {{"askedAgain",
      "sectors of x that L2 delivers for each one that loads in flight ask for before L1 has it",
      0.25, kWideFit},
     nullptr,
     &WalkPace::askedAgain},
    {{"entryNsF32", "nanoseconds of an entry with vectors in f32", 5e-4, kWideFit},
     nullptr,
     &WalkPace::entryNsF32},
    {{"entryNsF64", "nanoseconds of an entry with vectors in f64", 7e-4, kWideFit},
     nullptr,
     &WalkPace::entryNsF64},
    {{"rowNs", "nanoseconds of a row with entries", 6e-4, kWideFit}, nullptr, &WalkPace::rowNs},
    {{"emptyRowNs", "nanoseconds of an empty row", 6e-4, kWideFit}, nullptr, &WalkPace::emptyRowNs},
    {{"lineNs", "nanoseconds of a line of 128 bytes that only one lane of a warp reads", 9e-4,
      kWideFit},
     nullptr,
     &WalkPace::lineNs},
    {{"scattered",
      "bytes of y that memory moves for each byte of a sector with a row that has entries", 0.5},
     nullptr,
     &WalkPace::scattered},
    // The default is larger than the caution of most formats, since a kernel that was not measured
    // is predicted with larger errors.
    {{"caution", "factor on the predicted time where plans are compared", 1.2, kCautionFit},
     nullptr,
     &WalkPace::caution}};

class PaceRates {
public:
  explicit constexpr PaceRates(std::string_view group) {
    for (size_t i = 0; i < kCount; ++i) {
      char *at = texts_[i].data();
      for (const std::string_view part :
           {group, std::string_view("."), std::string_view(kPaceRates[i].rate.name)})
        for (const char c : part)
          *at++ = c;
      rates_[i] = kPaceRates[i].rate;
      rates_[i].name = texts_[i].data();
      rates_[i].hash = rateHash(rates_[i].name);
    }
  }
  // The names of the rates point into this object.
  PaceRates(const PaceRates &) = delete;
  PaceRates &operator=(const PaceRates &) = delete;

  constexpr llvm::ArrayRef<Rate> all() const { return rates_; }

private:
  static constexpr size_t kCount = std::size(kPaceRates), kMostName = 32;
  std::array<std::array<char, kMostName>, kCount> texts_{}; // each ends with a zero
  std::array<Rate, kCount> rates_{};
};

// --- Walk ----------------------------------------------------------------------------------------

// The walk of a kernel's threads through a matrix, and its costs: sectors of x that miss the
// caches, lines that warps read, long rows that the kernel waits for. Each format describes its
// walk; the rates of its pace are fitted.

struct Walk {
  const PaceRates &pace;
  int64_t moreItems = 0;  // further items that cost as much work as an entry
  double workOfSlot = 1;  // the work of a stored value, relative to that of one loaded from memory
  double blockRows = 256; // consecutive rows that a block of threads reads
  double blocksPerSm = 8;
  double sharedBytesPerSm = 0; // shared memory, which is taken from L1
  // The number of rows that the lanes of a warp read at the same time, and the distance of
  // neighbouring lanes in entries of a row.
  double rowsAtOnce = 32, apart = 1;
  // The share of the entries whose x comes through L1; for the others it is in shared memory.
  double shareOfL1 = 1;
  double sortedRows = 1;   // rows are sorted by length in windows of this size
  int64_t moreSectors = 0; // sectors of x beside those that the profile counts
  bool scattersY = false;  // writes y in single sectors if many rows are empty
  double passes = 1;       // number of times that the entries are read
};

// Adds the costs of x and of the walk to `t`, in which the format has set its arrays and threads.
void addWalk(Traffic &t, const PlanRequest &in, const Walk &walk);

// Sets the pace of a kernel, whose efficiency the format may have changed by a factor. addWalk()
// does this too.
void setPace(Traffic &t, const PlanRequest &in, const PaceRates &rates);

// The long rows of a kernel with `lanes` lanes a row; `perWave` as in LongRows.
LongRows longRowsOf(const PlanRequest &in, int64_t lanes, double perWave);
// Returns the long rows of kernels that need so many passes for a row of each length.
LongRows longRowsOf(const PlanRequest &in, llvm::function_ref<double(int64_t)> passesOf,
                    double perWave);

// The bytes of x and y, of one vector each, at most 2^40.
int64_t bytesOfXAndY(const PlanRequest &in);

// The number of rows that have entries.
double rowsNotEmpty(const SparsityProfile &p);

} // namespace specmv
