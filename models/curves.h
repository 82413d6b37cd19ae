// What was measured of a GPU by itself, without a matrix: how fast it reads by working set,
// gathers, follows addresses and launches. GB/s, nanoseconds and microseconds; working sets in
// bytes.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace specmv {

// A working set that is read in order: again and again, and once after L2 was flushed, in a launch
// of its own.
struct StreamPoint {
  double bytes = 0, warmGBs = 0, coldGBs = 0;
  bool operator==(const StreamPoint &) const = default;
};

// Gathers from random 32-byte sectors, of which `together` lanes of a warp use `together`
// consecutive values of valueBytes each. GB/s of whole sectors.
struct GatherPoint {
  double bytes = 0, valueBytes = 0, together = 0, sectorGBs = 0;
  bool operator==(const GatherPoint &) const = default;
};

// A load whose address the one before it has loaded.
struct ChasePoint {
  double bytes = 0, ns = 0;
  bool operator==(const ChasePoint &) const = default;
};

// A gather of a warp from random banks of shared memory, where the SM is full of such warps.
struct SharedGatherPoint {
  double valueBytes = 0, warpNs = 0;
  bool operator==(const SharedGatherPoint &) const = default;
};

// The median of many times, and what a tenth of them stays below and exceeds.
struct Spread {
  double median = 0, p10 = 0, p90 = 0;
  bool operator==(const Spread &) const = default;
};

struct Curves {
  std::string source = {}; // where it was measured
  double copyGBs = 0;      // device-to-device copy, read plus written
  Spread periodUs = {};    // from one launch of an empty kernel to the next
  Spread roundTripUs = {}; // one such launch, until the host knows that it ended
  // The same by replaying a graph: from one kernel of it to the next, and a graph of one kernel.
  // Zeros if the driver has no graphs, or the file is older than these.
  Spread replayPeriodUs = {}, replayTripUs = {};
  std::vector<StreamPoint> stream = {}; // by ascending bytes
  std::vector<GatherPoint> gather = {};
  std::vector<ChasePoint> chase = {}; // by ascending bytes
  std::vector<SharedGatherPoint> shared = {};
  bool operator==(const Curves &) const = default;
};

// The working set at which the rate of reading has fallen half-way from its highest, that of L2, to
// that of the largest working set, memory's. nullopt if these do not differ by a fifth: then the
// curve does not show where L2 ends.
std::optional<double> effectiveL2Bytes(const Curves &curves);

} // namespace specmv
