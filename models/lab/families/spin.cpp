// The Hamiltonian of Heisenberg's spin chain on a ring of n sites ("Zur Theorie des
// Ferromagnetismus", 1928). A state says of each site whether its spin points up. A row has its
// state and, for each pair of unequal neighbours, the state in which these two are exchanged.
// Exchanges keep the number of spins that point up, so the states with one such number have a
// matrix of their own. States are numbered in the order of their binary numbers.
#include "models/lab/families/binomial.h"

#include "models/base/error.h"

#include <array>
#include <bit>

namespace specmv {
namespace {
constexpr size_t kMostSites = 62; // as many bits has a state, and shifts must not overflow

class SpinStates {
public:
  // With `up` = `sites`, any number of spins may point up.
  SpinStates(int sites, int up) : sites_(sites), up_(up) {
    for (size_t n = 0; n <= kMostSites; ++n)
      for (size_t count = 0; count <= kMostSites; ++count)
        ways_[n][count] = binomial(static_cast<int>(n), static_cast<int>(count));
  }

  // Some number above kMaxIndex if there are more states than that.
  int64_t count() const { return isWhole() ? int64_t{1} << sites_ : ways(sites_, up_); }

  // The state of a number, by its bits from the highest on: of the states that agree so far, those
  // with a 0 at `site` come first.
  uint64_t stateOf(int64_t number) const {
    if (isWhole())
      return static_cast<uint64_t>(number);
    uint64_t state = 0;
    for (int site = sites_ - 1, left = up_; left > 0; --site)
      if (const int64_t lower = ways(site, left); number >= lower) {
        number -= lower;
        --left;
        state |= uint64_t{1} << site;
      }
    return state;
  }

  int64_t numberOf(uint64_t state) const {
    if (isWhole())
      return static_cast<int64_t>(state);
    int64_t number = 0;
    for (int count = 1; state != 0; ++count, state &= state - 1)
      number += ways(std::countr_zero(state), count);
    return number;
  }

  // Calls f with each state in which two unequal neighbours are exchanged. Two sites are one pair.
  template <class F> void forExchanges(uint64_t state, const F &f) const {
    const int pairs = sites_ > 2 ? sites_ : sites_ - 1;
    for (int site = 0; site < pairs; ++site) {
      const int other = site + 1 < sites_ ? site + 1 : 0;
      if (((state >> site ^ state >> other) & 1) != 0)
        f(state ^ (uint64_t{1} << site | uint64_t{1} << other));
    }
  }

private:
  bool isWhole() const { return up_ == sites_; }
  int64_t ways(int n, int count) const {
    return ways_[static_cast<size_t>(n)][static_cast<size_t>(count)];
  }

  int sites_, up_;
  std::array<std::array<int64_t, kMostSites + 1>, kMostSites + 1> ways_{};
};
} // namespace

llvm::Expected<CsrMatrix> generateSpin(const SpecOptions &options) {
  const int64_t sites = options.integer("n"), up = options.integer("up");
  if (up > sites)
    return fail(Status::badCall, "spin: up={0} exceeds the n={1} sites", up, sites);
  const SpinStates states(static_cast<int>(sites), static_cast<int>(up));
  const int64_t rows = states.count();
  if (rows > kMaxIndex)
    return fail(Status::badCall,
                "spin: n={0} sites have more than {1} states{2}; up=K takes only those with K "
                "spins up",
                sites, kMaxIndex, up == sites ? "" : " with up=" + std::to_string(up));
  const auto lengthOf = [&](int64_t row) {
    int64_t length = 1;
    states.forExchanges(states.stateOf(row), [&](uint64_t) { ++length; });
    return length;
  };
  const auto fillColumns = [&](int64_t row, std::span<int32_t> col) {
    auto next = col.begin();
    *next++ = static_cast<int32_t>(row);
    states.forExchanges(states.stateOf(row), [&](uint64_t other) {
      *next++ = static_cast<int32_t>(states.numberOf(other));
    });
    std::sort(col.begin(), col.end());
  };
  return buildMatrix(rows, rows, valuesOf(options), lengthOf, fillColumns);
}

} // namespace specmv
