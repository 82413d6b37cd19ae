// A plan: one storage format, with every number for which the kernel is specialized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace specmv {

struct Plan {
  std::string format; // a name in the table formats()
  std::vector<std::pair<std::string, int64_t>> integers =
      {};                                                 // `ell.width` and others, in fixed order
  std::vector<std::pair<std::string, double>> reals = {}; // `qcsr.fill`
  std::vector<std::pair<std::string, std::vector<int64_t>>> lists = {}; // `dia.offsets`

  bool has(std::string_view name) const; // an integer
  bool hasList(std::string_view name) const;
  // Returns the integer, real or list of that name. The plan must have it.
  int64_t get(std::string_view name) const;
  double getReal(std::string_view name) const;
  const std::vector<int64_t> &getList(std::string_view name) const;
  // For integers that only some plans have.
  int64_t get(std::string_view name, int64_t otherwise) const;
  void set(std::string_view name, int64_t value); // an integer that the plan has
  bool operator==(const Plan &) const = default;
  // The identity of the plan: "ell ell.width=27 block=256", a list as "dia.offsets=[-1,0,1]".
  std::string text() const;
};

// The longest list that a plan may have: it is part of the source, and a longer one belongs in an
// array of the layout. NVRTC takes 42 ms for a kernel with a plan of 4,096 integers.
constexpr size_t kMaxListLength = 4096;

// Reads text that text() wrote. Returns nullopt for any other text.
std::optional<Plan> parsePlan(const std::string &text);

} // namespace specmv
