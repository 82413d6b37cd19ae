// Matrices whose rows are states: of spins, epidemics, queues and chessboards.
#include "models/base/error.h"
#include "models/base/memory.h"
#include "models/lab/families/build.h"

#include <algorithm>
#include <array>
#include <bit>

namespace specmv {

// --- Binomial ------------------------------------------------------------------------------------

// Counts subsets, for families that number them.

// The number of ways to choose `count` of n; some number above kMaxIndex if there are more than
// that.
inline int64_t binomial(int n, int count) {
  int64_t ways = count <= n ? 1 : 0;
  for (int i = 1; i <= std::min(count, n - count) && ways <= kMaxIndex; ++i)
    ways = ways * (n - i + 1) / i;
  return ways;
}

// --- Chessboard ----------------------------------------------------------------------------------

// The boundary matrices of the chessboard complex, as in chM-N-bK of the SuiteSparse collection. A
// face of dimension k is a placement of k + 1 rooks on an m x n board such that no rook attacks
// another; its boundary is the alternating sum of the k + 1 placements with one rook removed
// (Bjorner, Lovasz, Vrecica and Zivaljevic, "Chessboard complexes and matching complexes", 1994).

// There are at least (k + 1)! faces, and 13! is more than 2^31.
constexpr int kMaxRooks = 12;

namespace {
// Rooks in ascending order of board row.
struct Placement {
  int rooks = 0;
  std::array<int, kMaxRooks> row{}, col{};
};
} // namespace

// The number of ways to give `rooks` rooks different columns of n: n (n-1) ... (n-rooks+1).
static int64_t arrangements(int n, int rooks) {
  int64_t ways = 1;
  for (int i = 0; i < rooks && ways <= kMaxIndex; ++i)
    ways *= n - i;
  return ways;
}

// The number of placements; some number above kMaxIndex if there are more than that.
static int64_t countFaces(int m, int n, int rooks) {
  const int64_t rows = binomial(m, rooks), cols = arrangements(n, rooks);
  return rows > kMaxIndex || cols > kMaxIndex ? kMaxIndex + 1 : rows * cols;
}

namespace {
// Faces are numbered by their board rows, then by their columns, both in lexicographic order.
class Faces {
public:
  Faces(int m, int n) : m_(m), n_(n) {}

  int64_t numberOf(const Placement &p) const {
    int64_t rowSet = 0, columns = 0;
    for (int i = 0, next = 0; i < p.rooks; next = p.row[at(i++)] + 1) {
      for (; next < p.row[at(i)]; ++next)
        rowSet += binomial(m_ - next - 1, p.rooks - i - 1);
      int digit = p.col[at(i)]; // its number among the columns that are still free
      for (int j = 0; j < i; ++j)
        digit -= p.col[at(j)] < p.col[at(i)];
      columns = columns * (n_ - i) + digit;
    }
    return rowSet * arrangements(n_, p.rooks) + columns;
  }

  Placement placementOf(int64_t number, int rooks) const {
    Placement p{rooks, {}, {}};
    const int64_t ways = arrangements(n_, rooks);
    int64_t rowSet = number / ways, columns = number % ways;
    for (int i = 0, next = 0; i < rooks; p.row[at(i++)] = next++)
      for (int64_t skip; rowSet >= (skip = binomial(m_ - next - 1, rooks - i - 1)); ++next)
        rowSet -= skip;
    for (int i = rooks; i-- > 0; columns /= n_ - i)
      p.col[at(i)] = static_cast<int>(columns % (n_ - i));
    for (int i = rooks; i-- > 0;) // from numbers among the free columns to board columns
      for (int j = i; j-- > 0;)
        p.col[at(i)] += p.col[at(i)] >= p.col[at(j)];
    return p;
  }

private:
  static size_t at(int i) { return static_cast<size_t>(i); }
  int m_, n_;
};
} // namespace

static Placement without(const Placement &p, int rook) {
  Placement face{p.rooks - 1, {}, {}};
  for (int i = 0; i < face.rooks; ++i) {
    const auto to = static_cast<size_t>(i), from = static_cast<size_t>(i < rook ? i : i + 1);
    face.row[to] = p.row[from];
    face.col[to] = p.col[from];
  }
  return face;
}

// Inserts an entry into a row and keeps the row sorted by column; a row has few entries.
static void insertEntry(std::span<int32_t> col, std::span<double> val, size_t count, int32_t column,
                        double value) {
  for (; count > 0 && col[count - 1] > column; --count) {
    col[count] = col[count - 1];
    val[count] = val[count - 1];
  }
  col[count] = column;
  val[count] = value;
}

llvm::Expected<CsrMatrix> generateChessboard(const SpecOptions &options) {
  const int m = static_cast<int>(options.integer("m")), n = static_cast<int>(options.integer("n"));
  const int k = static_cast<int>(options.integer("k"));
  if (k >= std::min(m, n))
    return fail(Status::badCall,
                "chessboard: k={0} needs {1} rooks, but a {2} x {3} board has room for {4}", k,
                k + 1, m, n, std::min(m, n));
  const int64_t rows = countFaces(m, n, k + 1), cols = countFaces(m, n, k);
  if (std::max(rows, cols) > kMaxIndex)
    return fail(Status::badCall, "chessboard: m={0}, n={1}, k={2} has more than {3} faces", m, n, k,
                kMaxIndex);
  const Faces faces(m, n);
  const auto fillRow = [&](int64_t row, std::span<int32_t> col, std::span<double> val) {
    const Placement placement = faces.placementOf(row, k + 1);
    for (int rook = 0; rook <= k; ++rook)
      insertEntry(col, val, static_cast<size_t>(rook),
                  static_cast<int32_t>(faces.numberOf(without(placement, rook))),
                  rook % 2 == 0 ? 1 : -1);
  };
  return buildMatrix(
      rows, cols, [k](int64_t) { return k + 1; }, fillRow);
}

// --- Spin ----------------------------------------------------------------------------------------

// The Hamiltonian of Heisenberg's spin chain on a ring of n sites ("Zur Theorie des
// Ferromagnetismus", 1928). A state says of each site whether its spin points up. A row has its
// state and, for each pair of unequal neighbours, the state in which these two are exchanged.
// Exchanges keep the number of spins that point up, so the states with one such number have a
// matrix of their own. States are numbered in the order of their binary numbers.

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

// --- Epidemic ------------------------------------------------------------------------------------

// The Markov chain of an epidemic, like mc2depi of the SuiteSparse collection (n = 1,024). A state
// (s, i) has s susceptible and i infected people, s + i <= n. It changes to (s-1, i+1) by an
// infection, to (s, i-1) by a recovery, to (s+1, i) by a birth, or stays. There are (n+1)(n+2)/2
// rows and (n+1)(2n+1) entries.

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

// --- Queue ---------------------------------------------------------------------------------------

// The Markov chain of a network of s queues in a row with finite room. Station i has room for
// room + i customers. A customer arrives at a station that is not full, moves on from a station to
// the next one if that is not full, or leaves the last station. So a state changes to at most 2 s
// others, each at the same distance in the numbering from everywhere; where a station is empty or
// full the diagonals have holes. The states are numbered along the first station first.

namespace {
constexpr size_t kMostStations = 8;

struct Queues {
  size_t stations;
  std::array<int64_t, kMostStations> room{}, stride{};
  int64_t states = 1;

  Queues(int64_t count, int64_t least) : stations(static_cast<size_t>(count)) {
    for (size_t i = 0; i < stations && states <= kMaxIndex; ++i) {
      room[i] = least + static_cast<int64_t>(i);
      stride[i] = states;
      states *= room[i] + 1;
    }
  }

  int64_t customers(int64_t state, size_t station) const {
    return state / stride[station] % (room[station] + 1);
  }

  // Calls f with the state itself and with each next state, in no order.
  template <class F> void forNext(int64_t state, const F &f) const {
    f(state);
    for (size_t i = 0; i < stations; ++i) {
      const int64_t here = customers(state, i);
      const bool isEnd = i + 1 == stations;
      if (here < room[i])
        f(state + stride[i]);
      if (here > 0 && (isEnd || customers(state, i + 1) < room[i + 1]))
        f(state - stride[i] + (isEnd ? 0 : stride[i + 1]));
    }
  }
};
} // namespace

llvm::Expected<CsrMatrix> generateQueue(const SpecOptions &options) {
  const int64_t stations = options.integer("s"), room = options.integer("room");
  const Queues queues(stations, room);
  const int64_t rows = queues.states;
  if (rows > kMaxIndex)
    return fail(Status::badCall, "queue: s={0} stations with room={1} have more than {2} states",
                stations, room, kMaxIndex);
  const auto lengthOf = [&](int64_t row) {
    int64_t length = 0;
    queues.forNext(row, [&](int64_t) { ++length; });
    return length;
  };
  const auto fillColumns = [&](int64_t row, std::span<int32_t> col) {
    auto next = col.begin();
    queues.forNext(row, [&](int64_t state) { *next++ = static_cast<int32_t>(state); });
    std::sort(col.begin(), col.end());
  };
  return buildMatrix(rows, rows, valuesOf(options), lengthOf, fillColumns);
}

} // namespace specmv
