// A plan: one storage format, with every number for which the kernel is specialized.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace specmv {

// The name of an integer of a plan. It is stored where it is, so that plans are made, copied and
// asked for numbers without memory of their own for names: a ranking does this a thousand times.
class PlanName {
public:
  static constexpr size_t kMost = 15; // characters

  constexpr PlanName() = default;
  // NOLINTBEGIN(google-explicit-constructor): a name is a text
  // A name that is too long equals no other, and its text ends early.
  constexpr PlanName(std::string_view name) {
    for (size_t i = 0; i < name.size() && i < kMost; ++i)
      text_[i] = name[i];
    text_[kMost] = static_cast<char>(std::min(name.size(), kMost + 1));
  }
  constexpr PlanName(const char *name) : PlanName(std::string_view(name)) {}
  PlanName(const std::string &name) : PlanName(std::string_view(name)) {}
  constexpr operator std::string_view() const {
    return {text_.data(), std::min<size_t>(text_[kMost], kMost)};
  }
  // NOLINTEND(google-explicit-constructor)
  // Compares words, since a ranking compares thousands of names.
  friend constexpr bool operator==(const PlanName &a, const PlanName &b) {
    const auto x = std::bit_cast<Words>(a.text_), y = std::bit_cast<Words>(b.text_);
    return ((x[0] ^ y[0]) | (x[1] ^ y[1])) == 0;
  }

private:
  using Words = std::array<uint64_t, 2>;
  std::array<char, kMost + 1> text_{}; // and its length
};

// The name of a number of plans, with its type: a constant that a format declares once, so that the
// compiler finds a misspelt name, and a list that is asked for as an integer.
template <class T> struct PlanKey {
  const char *name;
  PlanName inPlans = name; // known when the program is compiled
  // NOLINTBEGIN(google-explicit-constructor): a key stands for its name
  constexpr operator std::string_view() const { return inPlans; }
  constexpr operator PlanName() const { return inPlans; }
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
  std::string format;                                      // a name in the table formats()
  std::vector<std::pair<PlanName, int64_t>> integers = {}; // `ell.width` and others, in fixed order
  std::vector<std::pair<std::string, double>> reals = {};  // `qcsr.fill`
  std::vector<std::pair<std::string, std::vector<int64_t>>> lists = {}; // `dia.offsets`
  // The coding of the values (generator/coding); "" is plain.
  std::string values = {};
  // The order of rows and columns (generator/order); "" is that of the matrix.
  std::string order = {};

  bool has(const IntegerKey &key) const { return find(key.inPlans); }
  bool has(ListKey key) const;
  // Returns the integer, real or list of that key. The plan must have it.
  int64_t get(const IntegerKey &key) const;
  double get(RealKey key) const;
  const std::vector<int64_t> &get(ListKey key) const;
  // For integers that only some plans have.
  int64_t get(const IntegerKey &key, int64_t otherwise) const;
  void set(const IntegerKey &key, int64_t value); // an integer that the plan has
  Plan with(const IntegerKey &key, int64_t value) const;
  // Returns the integer of a name that a user gave, as on the command line; null if the plan has
  // none of that name.
  const int64_t *find(const PlanName &name) const;
  bool operator==(const Plan &) const = default;
  // The identity of the plan: "ell ell.width=27 block=256", a list as "dia.offsets=[-1,0,1]", a
  // coding of values as "values=ones", an order as "order=bfs".
  std::string text() const;
};

// The longest list that a plan may have: it is part of the source, and a longer one belongs in an
// array of the layout. NVRTC takes 42 ms for a kernel with a plan of 4,096 integers.
constexpr size_t kMaxListLength = 4096;

// Reads text that text() wrote. Returns nullopt for any other text, and if a name is longer than
// any plan's.
std::optional<Plan> parsePlan(const std::string &text);

} // namespace specmv
