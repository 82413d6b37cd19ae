// Solves a linear program by PDHG (Chambolle and Pock 2011) with restarts (Applegate et al. 2021),
// in fused steps of specmv.hpp: minimize c x where A x >= b and x >= 0, for a matrix of n rows and
// 2 n columns. A plan of the transpose has the step for x, and a plan of A the one for y.
//
//   pdhg [n]        (default 20000)
#include "fused.h"
#include "specmv.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using Plan = specmv::Plan<double>;
using Step = specmv::FusedStep<double>;
using Vector = std::vector<double>;

constexpr int kPeriod = 200, kMostIterations = 100000; // between restarts, and in all

// --- The program ---

struct Program {
  int rows, cols;
  std::vector<int> rowPtr{0}, col = {};
  Vector val = {}, c = {}, b = {};
};

// Numbers between 0.5 and 1.5, the same in every run.
double someNumber(uint64_t seed) {
  seed = (seed + 1) * 0x9e3779b97f4a7c15;
  return 0.5 + static_cast<double>((seed ^ (seed >> 29)) % 1000003) / 1000003;
}

// All numbers are positive, so there is a solution. Its eight entries a row lie in two bands.
Program makeProgram(int n) {
  Program out{n, 2 * n};
  uint64_t seed = 0;
  for (int row = 0; row < n; ++row) {
    std::vector<int> cols;
    cols.reserve(8);
    for (int k = 0; k < 8; ++k)
      cols.push_back(
          static_cast<int>((row * int64_t{2} + k * int64_t{k + 3} * (k % 2 ? 1 : 97)) % out.cols));
    std::sort(cols.begin(), cols.end());
    cols.erase(std::unique(cols.begin(), cols.end()), cols.end());
    for (const int col : cols) {
      out.col.push_back(col);
      out.val.push_back(someNumber(++seed));
    }
    out.rowPtr.push_back(static_cast<int>(out.col.size()));
    out.b.push_back(someNumber(++seed));
  }
  for (int col = 0; col < out.cols; ++col)
    out.c.push_back(someNumber(++seed));
  return out;
}

// At least the norm of A: the root of its largest sum of a row times that of a column.
double normOf(const Program &lp) {
  Vector ofRows(lp.rows), ofCols(lp.cols);
  for (int row = 0; row < lp.rows; ++row)
    for (int e = lp.rowPtr[row]; e < lp.rowPtr[row + 1]; ++e) {
      ofRows[row] += std::fabs(lp.val[e]);
      ofCols[lp.col[e]] += std::fabs(lp.val[e]);
    }
  return std::sqrt(*std::max_element(ofRows.begin(), ofRows.end()) *
                   *std::max_element(ofCols.begin(), ofCols.end()));
}

double lengthOf(const Vector &v) {
  double sum = 0;
  for (const double one : v)
    sum += one * one;
  return std::sqrt(sum);
}

// --- Errors, and memory on the GPU ---

void check(const specmv::Result<void> &result) {
  if (result)
    return;
  std::fprintf(stderr, "error: %s\n", result.error().detail.c_str());
  std::exit(1);
}
template <class T> T take(specmv::Result<T> result) {
  if (!result)
    check(specmv::Result<void>(result.error()));
  return std::move(*result);
}

// A vector on the GPU, which goes where a step wants an address.
class OnGpu {
public:
  OnGpu(const Place &place, const Vector &values)
      : place_(place), at_(vectorOf(&place, static_cast<int>(values.size()), values.data())) {}
  OnGpu(const OnGpu &) = delete;
  OnGpu &operator=(const OnGpu &) = delete;
  ~OnGpu() { freeVector(&place_, at_); }
  operator double *() const { return at_; }

private:
  const Place &place_;
  double *at_;
};

// --- The solver ---

// Steps that test a solution: how far the constraints of y and those of x are violated, in squares,
// and both objectives.
specmvFusion_t testOfDual() {
  specmvFusion_t out = SPECMV_FUSION_INIT;
  out.x = "y";
  out.epilogue = "const real lack = c < ax ? ax - c : 0; dual += lack * lack; cx += c * x;";
  out.vectors = "y, x, c";
  out.sums = "dual, cx";
  return out;
}
specmvFusion_t testOfPrimal() {
  specmvFusion_t out = SPECMV_FUSION_INIT;
  out.x = "x";
  out.epilogue = "const real lack = ax < b ? b - ax : 0; primal += lack * lack; by += b * y;";
  out.vectors = "x, y, b";
  out.sums = "primal, by";
  return out;
}

class Solver {
public:
  Solver(const Place &place, Plan &a, Plan &transpose, const Program &lp)
      : place_(place), primal_(take(Step::create(transpose, SPECMV_FUSED_PDHG_PRIMAL))),
        dual_(take(Step::create(a, SPECMV_FUSED_PDHG_DUAL))),
        restartX_(take(Step::create(transpose, SPECMV_FUSED_PDHG_RESTART))),
        restartY_(take(Step::create(a, SPECMV_FUSED_PDHG_RESTART))),
        testDual_(take(Step::create(transpose, testOfDual()))),
        testPrimal_(take(Step::create(a, testOfPrimal()))), c_(place, lp.c), b_(place, lp.b),
        low_(place, Vector(lp.c.size())), high_(place, Vector(lp.c.size(), HUGE_VAL)),
        yLeast_(place, Vector(lp.b.size())), x_(place, Vector(lp.c.size())),
        xBar_(place, Vector(lp.c.size())), xSum_(place, Vector(lp.c.size())),
        y_(place, Vector(lp.b.size())), ySum_(place, Vector(lp.b.size())), sums_(place, Vector(4)),
        length_(0.9 / normOf(lp)), ofB_(lengthOf(lp.b)), ofC_(lengthOf(lp.c)) {
    if (isCapturable(a.get()) && isCapturable(transpose.get()))
      iteration_ = captureGraph(&place, iterate, this);
    restart(0); // the iteration that ran before the capture
  }
  Solver(const Solver &) = delete;
  Solver &operator=(const Solver &) = delete;
  ~Solver() { freeGraph(&iteration_); }

  // Iterates until the constraints are violated by no more than 1e-4 of b and c, and the objectives
  // differ by no more than 1e-4 of both.
  bool solve() {
    for (iterations_ = 0; iterations_ < kMostIterations;) {
      repeatWork(&place_, &iteration_, iterate, this, kPeriod);
      restart(1.0 / kPeriod);
      iterations_ += kPeriod;
      if (isSolved())
        return true;
    }
    return false;
  }
  void print() const {
    std::printf("solve      %d iterations, objective %.8f, dual %.8f\n", iterations_, found_[1],
                found_[3]);
    std::printf("lacks      %.1e of b, %.1e of c\n", std::sqrt(found_[2]) / ofB_,
                std::sqrt(found_[0]) / ofC_);
  }

private:
  static void iterate(const Place *place, void *data) {
    Solver &s = *static_cast<Solver *>(data);
    check(s.primal_.run({s.y_, s.x_, s.xBar_, s.xSum_, s.c_, s.low_, s.high_}, {s.length_},
                        {s.sums_, s.sums_ + 1}, place->stream));
    check(s.dual_.run({s.xBar_, s.y_, s.ySum_, s.b_, s.yLeast_}, {s.length_},
                      {s.sums_ + 2, s.sums_ + 3}, place->stream));
  }
  void restart(double scale) {
    check(restartX_.run({x_, xSum_}, {scale}, {}, place_.stream));
    check(restartY_.run({y_, ySum_}, {scale}, {}, place_.stream));
  }
  bool isSolved() {
    check(testDual_.run({y_, x_, c_}, {}, {sums_, sums_ + 1}, place_.stream));
    check(testPrimal_.run({x_, y_, b_}, {}, {sums_ + 2, sums_ + 3}, place_.stream));
    toHost(&place_, 4, sums_, found_);
    const double gap = std::fabs(found_[1] - found_[3]);
    return std::sqrt(found_[0]) <= 1e-4 * ofC_ && std::sqrt(found_[2]) <= 1e-4 * ofB_ &&
           gap <= 1e-4 * (std::fabs(found_[1]) + std::fabs(found_[3]));
  }

  const Place &place_;
  Step primal_, dual_, restartX_, restartY_, testDual_, testPrimal_;
  OnGpu c_, b_, low_, high_, yLeast_, x_, xBar_, xSum_, y_, ySum_, sums_;
  double length_, ofB_, ofC_; // of a step, which is tau and sigma, and of the vectors b and c
  double found_[4] = {};      // by the last test: dual, cx, primal, by
  Graph iteration_{};
  int iterations_ = 0;
};

} // namespace

int main(int argc, char **argv) {
  const int n = sizeFrom(argc, argv, 20000, 50000000);
  Place place = openGpu();
  const Program lp = makeProgram(n);
  const auto matrix =
      take(specmv::Matrix<double>::csr(lp.rows, lp.cols, lp.rowPtr, lp.col, lp.val));
  specmv::PlanOptions options;
  options.vectorsOnGpu = 1;
  options.fused = 1;
  options.formats = std::getenv("SAMPLE_FORMATS");
  Plan a = take(Plan::create(matrix, options));
  options.operation = SPECMV_OPERATION_TRANSPOSE;
  Plan transpose = take(Plan::create(matrix, options));
  describe(a.get());
  describe(transpose.get());
  bool isSolved = false;
  {
    Solver solver(place, a, transpose, lp);
    const double begin = milliseconds();
    isSolved = solver.solve();
    solver.print();
    std::printf("time       %.2f ms\n", milliseconds() - begin);
  }
  closePlace(&place);
  return std::fflush(stdout) == 0 && isSolved ? 0 : 1;
}
