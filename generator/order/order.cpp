// Orders rows on the host by a breadth-first search, and permutes a matrix.
#include "generator/order/order.h"

#include "generator/format.h"
#include "generator/layout.h"
#include "models/base/error.h"
#include "models/base/parallel.h"
#include "templates/setup/sizes.cuh"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

namespace specmv {

llvm::Error checkOrder(const std::string &order) {
  return order.empty() || order == kBreadthFirst
             ? llvm::Error::success()
             : fail(Status::badCall,
                    "order='{0}' is no order of rows and columns; use order={1} or order=none",
                    order, kBreadthFirst);
}

std::string whyNotOrder(const Plan &plan, const Problem &problem) {
  if (plan.order.empty())
    return "";
  if (std::string why = describe(checkOrder(plan.order)).second; !why.empty())
    return why;
  if (findFormat(plan.format)->library)
    return plan.format + " multiplies by the matrix as it is; use order=none";
  return problem.vectors > 1 && !problem.vectorsAreOrdered
             ? "products with several vectors permute none; pass them in the order of the plan, or "
               "use order=none"
             : "";
}

llvm::Error checkOrdered(const MatrixSize &a, int64_t longest) {
  if (a.rows != a.cols)
    return fail(
        Status::notApplicable,
        "order=bfs takes square matrices; this one has {0} rows and {1} columns; use order=none",
        a.rows, a.cols);
  if (constexpr int64_t kMost = std::numeric_limits<int32_t>::max() - 4096; a.rows > kMost)
    return fail(Status::notApplicable,
                "order=bfs takes at most {0} rows; the matrix has {1}; use order=none", kMost,
                a.rows);
  if (a.nnz > kMaxSlots)
    return fail(Status::notApplicable,
                "order=bfs takes at most {0} entries; the matrix has {1}; use order=none",
                kMaxSlots, a.nnz);
  if (longest > kMostPermutedRow)
    return fail(Status::notApplicable,
                "order=bfs takes rows of at most {0} entries; the longest has {1}; use order=none",
                int{kMostPermutedRow}, longest);
  return llvm::Error::success();
}

namespace {
template <class I> class Search {
public:
  explicit Search(const CsrPattern<I> &a) : a_(a), isMet_(static_cast<size_t>(a.rows)) {
    order.rowAt.reserve(isMet_.size());
  }

  // Visits what can be reached from the row, or all rows.
  void from(int32_t root, bool visitsAll) {
    size_t begin = 0;
    for (meet(root); order.levels < kMostLevels; ++order.levels) {
      if (begin == order.rowAt.size() && !(visitsAll && meetNext()))
        return;
      for (const size_t end = order.rowAt.size(); begin < end; ++begin) {
        const auto row = static_cast<size_t>(order.rowAt[begin]);
        for (I e = a_.rowPtr[row]; e < a_.rowPtr[row + 1]; ++e)
          meet(static_cast<int32_t>(a_.col[e]));
      }
    }
  }

  void appendRest() {
    while (meetNext())
      continue;
  }

  Order order;

private:
  void meet(int32_t row) {
    if (isMet_[static_cast<size_t>(row)])
      return;
    isMet_[static_cast<size_t>(row)] = true;
    order.rowAt.push_back(row);
  }
  // Meets the first row that was not met. Returns false if all were.
  bool meetNext() {
    while (next_ < a_.rows && isMet_[static_cast<size_t>(next_)])
      ++next_;
    if (next_ < a_.rows)
      meet(static_cast<int32_t>(next_));
    return next_ < a_.rows;
  }

  const CsrPattern<I> &a_;
  std::vector<bool> isMet_;
  int64_t next_ = 0;
};
} // namespace

template <class I> static int32_t firstRoot(const CsrPattern<I> &a) {
  int64_t least = std::numeric_limits<int64_t>::max(), root = 0;
  for (int64_t row = 0; row < a.rows; ++row)
    if (const int64_t length = a.rowPtr[row + 1] - a.rowPtr[row]; length >= 2 && length < least) {
      least = length;
      root = row;
    }
  return static_cast<int32_t>(root);
}

llvm::Expected<Order> orderOf(const CsrView &a) {
  if (llvm::Error error = checkOrdered(dimensionsOf(a), longestRow(a)))
    return error;
  if (a.rows == 0)
    return Order();
  return visitPattern(a, [](const auto &p) {
    Search first(p), second(p);
    first.from(firstRoot(p), false);
    second.from(first.order.rowAt.back(), true);
    second.appendRest();
    return std::move(second.order);
  });
}

// The columns of a row are those of three levels. In a mesh there are hundreds of levels; in graphs
// of people or of the web, which no order makes local, ten or twenty.
constexpr int64_t kLeastLevels = 32;

bool bringsTogether(const Order &order) { return order.levels >= kLeastLevels; }

static std::vector<int32_t> placesInOrder(const Order &order) {
  std::vector<int32_t> places(order.rowAt.size());
  for (size_t i = 0; i < places.size(); ++i)
    places[static_cast<size_t>(order.rowAt[i])] = static_cast<int32_t>(i);
  return places;
}

// The rows take their entries along.
constexpr int64_t kRowsPerTask = 4096;

template <class I>
static void permuteInto(PermutedCsr &out, const CsrPattern<I> &a, const Order &order) {
  const std::vector<int32_t> places = placesInOrder(order);
  auto *rowPtr = reinterpret_cast<I *>(out.rowPtr.data());
  auto *col = reinterpret_cast<I *>(out.col.data());
  for (int64_t i = 0; i < a.rows; ++i) {
    const int32_t row = order.rowAt[static_cast<size_t>(i)];
    rowPtr[i + 1] = static_cast<I>(rowPtr[i] + (a.rowPtr[row + 1] - a.rowPtr[row]));
  }
  parallelFor(a.rows, kRowsPerTask, [&](int64_t begin, int64_t end) {
    std::vector<std::pair<int32_t, int64_t>> entries; // the new column and the entry
    for (int64_t i = begin; i < end; ++i) {
      const int32_t row = order.rowAt[static_cast<size_t>(i)];
      entries.clear();
      for (I e = a.rowPtr[row]; e < a.rowPtr[row + 1]; ++e)
        entries.emplace_back(places[static_cast<size_t>(a.col[e])], e);
      std::sort(entries.begin(), entries.end());
      for (size_t k = 0; k < entries.size(); ++k) {
        const size_t place = static_cast<size_t>(rowPtr[i]) + k;
        col[place] = static_cast<I>(entries[k].first);
        out.placeOf[static_cast<size_t>(entries[k].second)] = static_cast<uint32_t>(place);
      }
    }
  });
}

PermutedCsr permuted(const CsrView &a, const Order &order) {
  PermutedCsr out{.view = a};
  const auto entries = static_cast<size_t>(a.nnz);
  out.rowPtr.resize(static_cast<size_t>(a.rows + 1) * sizeOf(a.indexType));
  out.col.resize(entries * sizeOf(a.indexType));
  out.placeOf.resize(entries);
  visitPattern(a, [&](const auto &p) { permuteInto(out, p, order); });
  out.view.rowPtr = out.rowPtr.data();
  out.view.col = out.col.data();
  if (a.val) {
    out.val.resize(entries * sizeOf(a.valueType));
    visitValues(a, [&](const auto *val) {
      auto *to = reinterpret_cast<std::remove_const_t<std::remove_pointer_t<decltype(val)>> *>(
          out.val.data());
      for (size_t e = 0; e < entries; ++e)
        to[out.placeOf[e]] = val[e];
    });
    out.view.val = out.val.data();
  }
  return out;
}

} // namespace specmv
