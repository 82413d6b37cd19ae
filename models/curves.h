// Measurements of a GPU by itself, without a matrix: the rates of reading by working set and of
// gathers, the latency of dependent loads, and the cost of launches. GB/s, nanoseconds and
// microseconds; working sets in bytes.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace specmv {

// The rate of reading a working set in order: repeatedly (warm), and once after L2 was flushed, in
// a launch of its own (cold).
struct StreamPoint {
  double bytes = 0, warmGBs = 0, coldGBs = 0;
  bool operator==(const StreamPoint &) const = default;
};

// The rate of gathers from random 32-byte sectors; `together` lanes of a warp read `together`
// consecutive values of valueBytes each. GB/s of whole sectors.
struct GatherPoint {
  double bytes = 0, valueBytes = 0, together = 0, sectorGBs = 0;
  bool operator==(const GatherPoint &) const = default;
};

// The latency of a load whose address comes from the load before it.
struct ChasePoint {
  double bytes = 0, ns = 0;
  bool operator==(const ChasePoint &) const = default;
};

// The time of a warp's gather from random banks of shared memory, with the SM full of such warps.
struct SharedGatherPoint {
  double valueBytes = 0, warpNs = 0;
  bool operator==(const SharedGatherPoint &) const = default;
};

// The median of many times, and their 10th and 90th percentiles.
struct Spread {
  double median = 0, p10 = 0, p90 = 0;
  bool operator==(const Spread &) const = default;
};

struct Curves {
  std::string source = {}; // place and date of the measurement
  double copyGBs = 0;      // device-to-device copy, read plus written
  Spread periodUs = {};    // from one launch of an empty kernel to the next
  Spread roundTripUs = {}; // from a launch of an empty kernel until the host knows that it ended
  // These are the same two times when a graph is replayed: from one kernel of the graph to the
  // next, and for a graph of one kernel. They are zeros if the driver has no graphs or the file
  // predates these fields.
  Spread replayPeriodUs = {}, replayTripUs = {};
  std::vector<StreamPoint> stream = {}; // by ascending bytes
  std::vector<GatherPoint> gather = {};
  std::vector<ChasePoint> chase = {}; // by ascending bytes
  std::vector<SharedGatherPoint> shared = {};
  bool operator==(const Curves &) const = default;
};

// The working set at which the reading rate has fallen half-way from its maximum (the rate of L2)
// to the rate of the largest working set (the rate of memory). nullopt if these rates do not differ
// by a fifth: the curve then does not show where L2 ends.
std::optional<double> effectiveL2Bytes(const Curves &curves);

} // namespace specmv
