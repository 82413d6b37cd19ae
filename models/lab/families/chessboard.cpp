// The boundary matrices of the chessboard complex, as in chM-N-bK of the SuiteSparse collection. A
// face of dimension k is a placement of k + 1 rooks on an m x n board such that no rook attacks
// another; its boundary is the alternating sum of the k + 1 placements with one rook removed
// (Bjorner, Lovasz, Vrecica and Zivaljevic, "Chessboard complexes and matching complexes", 1994).
#include "models/lab/families/binomial.h"
#include "models/lab/families/build.h"

#include "models/base/error.h"

#include <array>

namespace specmv {
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

} // namespace specmv
