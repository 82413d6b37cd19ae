// A plan: one storage format with every number fixed that the kernel is specialized for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace specmv {

// What one product must move and do, estimated from the profile; the input of the traffic model.
struct Traffic {
  int64_t storedBytes = 0;  // arrays of the layout
  int64_t streamBytes = 0;  // arrays that are read once in order, and y
  int64_t gatherBytes = 0;  // x, in the 32-byte sectors that L2 must deliver
  int64_t stagedBytes = 0;  // x, as blocks copy it to shared memory before they multiply
  int64_t threads = 0;      // threads launched
  int64_t steps = 0;        // passes of the inner loop, summed over threads
  int64_t longestChain = 0; // passes of the slowest thread: what imbalance costs
  int32_t heads = 0;        // loads that wait for each other before the first column can be read
  int32_t threadsPerSm = 0; // that registers leave room for; 0: as many as the GPU holds
  int32_t launches = 1;
  double efficiency = 1; // share of the memory rate that the kernel's pattern of access reaches
  double hostUs = 0;     // copies to and from the host and its work, beyond what they overlap
  bool operator==(const Traffic &) const = default;
};

struct Plan {
  std::string format; // a name of the table formats()
  std::vector<std::pair<std::string, int64_t>> integers =
      {}; // `ell.width` and the like, in fixed order
  std::vector<std::pair<std::string, double>> reals = {};               // `qcsr.fill`
  std::vector<std::pair<std::string, std::vector<int64_t>>> lists = {}; // `dia.offsets`
  Traffic traffic = {};

  // The integer of that name, or `otherwise`.
  int64_t get(const std::string &name, int64_t otherwise = 0) const;
  double getReal(const std::string &name, double otherwise = 0) const;
  // The list of that name; empty if there is none.
  std::vector<int64_t> getList(const std::string &name) const;
  // The identity of the plan: "ell ell.width=27 block=256", a list as "dia.offsets=[-1,0,1]".
  // Traffic is not part of it.
  std::string text() const;
};

// The longest list that a plan may have: it stands in the source, and what is longer belongs into
// an array of the layout. NVRTC takes 42 ms for a kernel with a plan of 4,096 integers.
constexpr size_t kMaxListLength = 4096;

// Reads what text() wrote, without the traffic; nullopt if it is no such text.
std::optional<Plan> parsePlan(const std::string &text);

} // namespace specmv
