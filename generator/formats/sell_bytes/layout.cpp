// Packs a matrix in SELL with columns in bytes on the host (templates/sell_bytes.cuh).
#include "generator/formats/sell_bytes/layout.h"

#include "generator/shared/padded.h"
#include "generator/shared/rows_by_length.h"
#include "models/base/error.h"
#include "models/base/parallel.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <array>
#include <limits>

namespace specmv {

int64_t bytesWidestOf(int64_t cols) { return bytesOfOffset(std::max<int64_t>(0, cols - 1)); }

Fields bytesFields(const Plan &plan, const Problem &problem, const BytesCounts &n) {
  const ElementType offset = indexTypesOf(plan).offset;
  const int64_t slices = ceilDiv(n.rows, int64_t{kLineRows});
  Fields out = joined({{array("heads", ElementType::u32, (slices + 1) * 4),
                        array("bases", ElementType::i32, n.fours * kLinesTogether),
                        array("words", ElementType::u32, n.words * kLineRows)},
                       valueFields(plan, problem, n.lines * kLineRows),
                       vectors(problem),
                       {number("rows", offset, n.rows)}});
  if (plan.get(key::kBytesSigma) > 1)
    out.push_back(array("perm", ElementType::u16, n.rows));
  return out;
}

std::string whyNoBytes(const MatrixSize &a, int64_t longestRow, int64_t sigma) {
  if (a.cols > std::numeric_limits<int32_t>::max())
    return llvm::formatv("sell-bytes has bases of 32 bits, and the matrix has {0} columns; the "
                         "limit is 2^31 - 1",
                         a.cols);
  if (longestRow > kMostLines)
    return llvm::formatv("the longest row has {0} entries; the limit of sell-bytes is {1}",
                         longestRow, int{kMostLines});
  if (sigma > 1 && sigma < kLineRows)
    return llvm::formatv("bytes.sigma = {0} is less than the {1} rows of a slice; it must be 1 (no "
                         "sorting) or at least {1}",
                         sigma, int{kLineRows});
  return "";
}

std::string whyTooManyLines(int64_t lines, int64_t nnz) {
  if (lines > kMaxSlots / kLineRows)
    return llvm::formatv("sell-bytes needs {0} lines of {1} slots; the limit is {2} slots", lines,
                         int{kLineRows}, kMaxSlots);
  return whyTooPadded(llvm::formatv("sell-bytes with slices of {0} rows", int{kLineRows}),
                      lines * kLineRows, nnz, int64_t{kLineRows} * kMostLines);
}

llvm::Error checkBytesPlan(const Plan &plan, const MatrixSize &a, int64_t longestRow) {
  if (const std::string why = whyNoBytes(a, longestRow, plan.get(key::kBytesSigma)); !why.empty())
    return fail(Status::notApplicable, "{0}", why);
  if (const int64_t widest = bytesWidestOf(a.cols); plan.get(key::kBytesWidest) < widest)
    return fail(Status::notApplicable,
                "the plan has offsets of at most {0} bytes; {1} columns can need {2}",
                plan.get(key::kBytesWidest), a.cols, widest);
  return llvm::Error::success();
}

llvm::Error checkBytesLines(const Plan &plan, const MatrixSize &a, int64_t lines) {
  if (const std::string why = whyTooManyLines(lines, a.nnz); !why.empty())
    return fail(Status::notApplicable, "{0}", why);
  return checkIndexTypes(plan, a.rows, a.cols, lines * kLineRows);
}

// Slices that a thread takes at a time.
constexpr int64_t kBytesGrain = 64;

namespace {
// A line of a slice, as it is sorted.
struct BytesLine {
  int32_t base;
  int number, bytes;
};

// A slice's lines, sorted by their bytes, and what they need.
struct BytesOfSlice {
  std::vector<BytesLine> lines;
  std::array<int, kMostOffsetBytes> fours{}; // with i + 1 bytes

  int64_t countFours() const { return ceilDiv(std::ssize(lines), int64_t{kLinesTogether}); }
  int64_t words() const {
    int64_t out = 0;
    for (int i = 0; i < kMostOffsetBytes; ++i)
      out += int64_t{fours[i]} * (i + 1);
    return out;
  }
  unsigned widths() const {
    return static_cast<unsigned>(fours[0]) | static_cast<unsigned>(fours[1]) << kFoursBits |
           static_cast<unsigned>(fours[2]) << 2 * kFoursBits;
  }
};

// A slice begins here in the arrays.
struct BytesStart {
  int64_t line = 0, four = 0, words = 0;
};

// Fills one layout.
template <class I> class BytesFiller {
public:
  BytesFiller(const CsrPattern<I> &a, std::vector<int64_t> order, int64_t window)
      : a_(a), order_(std::move(order)), window_(window),
        starts_(static_cast<size_t>(ceilDiv(a.rows, int64_t{kLineRows}) + 1)) {}

  // Finds where each slice begins.
  void placeSlices() {
    parallelFor(slices(), kBytesGrain, [&](int64_t begin, int64_t end) {
      for (int64_t slice = begin; slice < end; ++slice) {
        const BytesOfSlice own = linesOf(slice);
        starts_[slice] = {std::ssize(own.lines), own.countFours(), own.words()};
      }
    });
    BytesStart sum;
    for (BytesStart &start : starts_) {
      const BytesStart count = start;
      start = sum;
      sum = {sum.line + count.line, sum.four + count.four, sum.words + count.words};
    }
  }
  const BytesStart &total() const { return starts_.back(); }

  void fill(Layout &out) const {
    parallelFor(slices(), kBytesGrain, [&](int64_t begin, int64_t end) {
      for (int64_t slice = begin; slice < end; ++slice)
        fillSlice(slice, out);
    });
    putHead(slices(), 0, out);
    if (LayoutArray *perm = out.find("perm"))
      for (int64_t place = 0; place < a_.rows; ++place)
        perm->as<uint16_t>()[place] = static_cast<uint16_t>(order_[place] % window_);
  }

private:
  int64_t slices() const { return std::ssize(starts_) - 1; }
  int64_t lengthAt(int64_t place) const {
    return place < a_.rows ? a_.rowPtr[order_[place] + 1] - a_.rowPtr[order_[place]] : 0;
  }

  BytesOfSlice linesOf(int64_t slice) const {
    BytesOfSlice out;
    for (int line = 0;; ++line) {
      int64_t least = std::numeric_limits<int64_t>::max(), most = -1;
      for (int64_t place = slice * kLineRows; place < (slice + 1) * kLineRows; ++place)
        if (line < lengthAt(place)) {
          const int64_t column = a_.col[a_.rowPtr[order_[place]] + line];
          least = std::min(least, column);
          most = std::max(most, column);
        }
      if (most < 0)
        break;
      out.lines.push_back({static_cast<int32_t>(least), line, bytesOfOffset(most - least)});
    }
    std::stable_sort(out.lines.begin(), out.lines.end(),
                     [](const BytesLine &l, const BytesLine &r) { return l.bytes < r.bytes; });
    const int lines = static_cast<int>(out.lines.size());
    for (int at = 0; at < lines; at += kLinesTogether)
      ++out.fours[out.lines[std::min(at + kLinesTogether, lines) - 1].bytes - 1];
    return out;
  }

  void fillSlice(int64_t slice, Layout &out) const {
    const BytesOfSlice own = linesOf(slice);
    putHead(slice, own.widths(), out);
    const BytesStart &start = starts_[slice];
    auto *const bases = out.find("bases")->as<int32_t>() + start.four * kLinesTogether;
    auto *words = out.find("words")->as<uint32_t>() + start.words * kLineRows;
    const int lines = static_cast<int>(own.lines.size());
    for (int first = 0; first < lines; first += kLinesTogether) {
      const int end = std::min(first + kLinesTogether, lines), bytes = own.lines[end - 1].bytes;
      for (int at = first; at < end; ++at) {
        bases[at] = own.lines[at].base;
        for (int lane = 0; lane < kLineRows; ++lane) {
          const int64_t place = slice * kLineRows + lane;
          uint32_t offset = ~uint32_t{0};
          if (own.lines[at].number < lengthAt(place)) {
            const int64_t entry = a_.rowPtr[order_[place]] + own.lines[at].number;
            offset = static_cast<uint32_t>(a_.col[entry] - own.lines[at].base);
            out.slots[entry] =
                static_cast<uint32_t>(lineSlot(start.line * kLineRows, lines, at, lane));
          }
          for (int i = 0; i < bytes; ++i)
            words[i * kLineRows + lane] |= (offset >> 8 * i & 0xff) << 8 * (at - first);
        }
      }
      words += static_cast<ptrdiff_t>(bytes) * kLineRows;
    }
  }

  void putHead(int64_t slice, unsigned widths, Layout &out) const {
    auto *const head = out.find("heads")->as<uint32_t>() + slice * 4;
    const BytesStart &start = starts_[slice];
    head[0] = static_cast<uint32_t>(start.line);
    head[1] = static_cast<uint32_t>(start.four);
    head[2] = static_cast<uint32_t>(start.words);
    head[3] = widths;
  }

  const CsrPattern<I> &a_;
  std::vector<int64_t> order_; // the row in each place
  int64_t window_;             // in which rows are sorted
  std::vector<BytesStart> starts_;
};
} // namespace

llvm::Expected<Layout> bytesLayout(const CsrView &a, const Plan &plan, const Problem &problem) {
  const int64_t longest = longestRow(a), sigma = plan.get(key::kBytesSigma);
  if (llvm::Error error = checkBytesPlan(plan, dimensionsOf(a), longest))
    return error;
  return visitPattern(a, [&](auto pattern) -> llvm::Expected<Layout> {
    BytesFiller filler(pattern, rowsByLength(a, sigma), sigma);
    filler.placeSlices();
    const auto &[lines, fours, words] = filler.total();
    if (llvm::Error error = checkBytesLines(plan, dimensionsOf(a), lines))
      return error;
    Layout out;
    addFields(out, bytesFields(plan, problem, {a.rows, lines, fours, words}));
    out.slots = Slots(static_cast<size_t>(a.nnz));
    filler.fill(out);
    return out;
  });
}

} // namespace specmv
