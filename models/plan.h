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

// The name of a number of plans, with its type: a constant that a format declares once, so that the
// compiler finds a misspelt name, and a list that is asked for as an integer.
template <class T> struct PlanKey {
  const char *name;
  // NOLINTBEGIN(google-explicit-constructor): a key stands for its name
  constexpr operator std::string_view() const { return name; }
  operator std::string() const { return name; }
  // NOLINTEND(google-explicit-constructor)
};
using IntegerKey = PlanKey<int64_t>;
using RealKey = PlanKey<double>;
using ListKey = PlanKey<std::vector<int64_t>>;

// The keys that the models of papers read (models/predict). Those of one format stand beside its
// layout, those of all formats in generator/parameters.h.
namespace key {
inline constexpr IntegerKey kCsrLanes{"csr.lanes"}, kEllWidth{"ell.width"}, kHybK{"hyb.k"};
} // namespace key

struct Plan {
  std::string format; // a name in the table formats()
  std::vector<std::pair<std::string, int64_t>> integers =
      {};                                                 // `ell.width` and others, in fixed order
  std::vector<std::pair<std::string, double>> reals = {}; // `qcsr.fill`
  std::vector<std::pair<std::string, std::vector<int64_t>>> lists = {}; // `dia.offsets`
  // The coding of the values (generator/coding); "" is plain.
  std::string values = {};
  // The order of rows and columns (generator/order); "" is that of the matrix.
  std::string order = {};

  bool has(IntegerKey key) const { return find(key); }
  bool has(ListKey key) const;
  // Returns the integer, real or list of that key. The plan must have it.
  int64_t get(IntegerKey key) const;
  double get(RealKey key) const;
  const std::vector<int64_t> &get(ListKey key) const;
  // For integers that only some plans have.
  int64_t get(IntegerKey key, int64_t otherwise) const;
  void set(IntegerKey key, int64_t value); // an integer that the plan has
  Plan with(IntegerKey key, int64_t value) const;
  // Returns the integer of a name that a user gave, as on the command line; null if the plan has
  // none of that name.
  const int64_t *find(std::string_view name) const;
  bool operator==(const Plan &) const = default;
  // The identity of the plan: "ell ell.width=27 block=256", a list as "dia.offsets=[-1,0,1]", a
  // coding of values as "values=ones", an order as "order=bfs".
  std::string text() const;
};

// The longest list that a plan may have: it is part of the source, and a longer one belongs in an
// array of the layout. NVRTC takes 42 ms for a kernel with a plan of 4,096 integers.
constexpr size_t kMaxListLength = 4096;

// Reads text that text() wrote. Returns nullopt for any other text.
std::optional<Plan> parsePlan(const std::string &text);

} // namespace specmv
