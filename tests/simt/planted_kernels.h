// Small kernels, each with one planted error that the executor or the comparison must find.
#pragma once

namespace specmv::simt {

enum class Fault {
  none,
  readsPastEnd,       // one entry more than col has
  readsFarAway,       // x at a wild column
  writesPastEnd,      // a row more than y has
  writesConstant,     // x
  leavesGroup,        // lanes past the last row return before the group sum
  wrongMask,          // every group sums with the mask of the first
  otherPlace,         // half a group sums in another line
  missingLane,        // the upper half of a group is not summed
  readsPadding,       // x is read for padded entries
  noBarrier,          // no __syncthreads between writing and reading shared memory
  sameSlot,           // all lanes store to one slot of shared memory
  uninitialized,      // shared memory is read before it is written
  branchedBarrier,    // half of the block skips a barrier
  twoBarriers,        // halves of the block wait in different barriers
  noWarpBarrier,      // a shuffle where __syncwarp is needed
  noFence,            // the last block reads sums without a fence of their writers
  fenceBeforeBarrier, // only lane 0 fences, without a barrier before it
  blocksCollide,      // two blocks add to one row
  plainCounter,       // a counter that other blocks add to atomically is read plainly
  misaligned,         // a double at an address of float's alignment
  misalignedVector,   // a float4 at an odd element
};

struct PlantedArgs {
  const int *rowPtr;
  const int *col;
  const float *val;
  const float *x;
  float *y;
  float *scratch; // a float a lane
  unsigned *counter;
  int rows, padded; // padded: the width of the rows in val and col for the ELL kernel
};

struct Planted {
  const char *name;
  Fault fault;
  void (*kernel)(const PlantedArgs &);
  unsigned blocks, threads;
  const char *finding; // what the report says; "" where only the result is wrong
  bool needsTrace;     // found only by tracing loads and stores
};

extern const Planted kPlanted[];
extern const unsigned kPlantedCount;

} // namespace specmv::simt
