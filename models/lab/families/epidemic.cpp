// The Markov chain of an epidemic, like mc2depi of the SuiteSparse collection (n = 1,024). A state
// (s, i) has s susceptible and i infected people, s + i <= n. It changes to (s-1, i+1) by an
// infection, to (s, i-1) by a recovery, to (s+1, i) by a birth, or stays. There are (n+1)(n+2)/2
// rows and (n+1)(2n+1) entries.
#include "models/lab/families/build.h"

#include "models/base/machine_memory.h"

namespace specmv {
namespace {
// Numbers the states by s, then by i.
class States {
public:
  explicit States(int64_t n) : n_(n) {
    for (int64_t s = 0; s <= n; ++s)
      first_.push_back(s * (n + 1) - s * (s - 1) / 2);
  }

  int64_t susceptible(int64_t row) const {
    return std::upper_bound(first_.begin(), first_.end(), row) - first_.begin() - 1;
  }
  int64_t infected(int64_t row, int64_t s) const { return row - first_[static_cast<size_t>(s)]; }
  int64_t number(int64_t s, int64_t i) const { return first_[static_cast<size_t>(s)] + i; }
  int64_t limit() const { return n_; }

private:
  int64_t n_;
  std::vector<int64_t> first_; // the number of the state (s, 0)
};
} // namespace

static int64_t countTransitions(const States &states, int64_t row) {
  const int64_t s = states.susceptible(row), i = states.infected(row, s);
  return 1 + (s > 0 ? 1 : 0) + (i > 0 ? 1 : 0) + (s + i < states.limit() ? 1 : 0);
}

static void fillStates(const States &states, int64_t row, std::span<int32_t> col) {
  const int64_t s = states.susceptible(row), i = states.infected(row, s);
  auto next = col.begin();
  const auto add = [&](int64_t state) { *next++ = static_cast<int32_t>(state); };
  if (s > 0)
    add(states.number(s - 1, i + 1));
  if (i > 0)
    add(row - 1);
  add(row);
  if (s + i < states.limit())
    add(states.number(s + 1, i));
}

llvm::Expected<CsrMatrix> generateEpidemic(const SpecOptions &options) {
  const int64_t n = options.integer("n"), rows = (n + 1) * (n + 2) / 2;
  if (llvm::Error error = checkFits(rows, rows, (n + 1) * (2 * n + 1), availableMemory()))
    return error;
  const States states(n);
  const auto lengthOf = [&](int64_t row) { return countTransitions(states, row); };
  const auto fillColumns = [&](int64_t row, std::span<int32_t> col) {
    fillStates(states, row, col);
  };
  return buildMatrix(rows, rows, valuesOf(options), lengthOf, fillColumns);
}

} // namespace specmv
