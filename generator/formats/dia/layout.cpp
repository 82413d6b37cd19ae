// Packs DIA: values diagonal by diagonal, and bits for the places of diagonals without an entry.
#include "generator/formats/dia/layout.h"

#include "generator/coding/coding.h"
#include "generator/index_types.h"
#include "generator/shared/padded.h"
#include "models/base/error.h"
#include "models/base/parallel.h"
#include "templates/pack/slots.cuh"
#include "llvm/ADT/bit.h"

#include <algorithm>
#include <atomic>
#include <string_view>
#include <unordered_map>

namespace specmv {

int64_t placesOf(int64_t offset, int64_t rows, int64_t cols) {
  // cols - offset could overflow for a negative offset, since cols may be as large as an index.
  return std::max<int64_t>(0, offset < 0 ? std::min(rows + offset, cols)
                                         : std::min(rows, cols - offset));
}

Fields diaFields(const Plan &plan, const Problem &problem, const DiaCounts &counts) {
  const auto [offset, column] = indexTypesOf(plan);
  const bool isGeneral = hasOffsetsAsArgument(plan);
  Fields own = valueFields(plan, problem, ellSlots(counts.rows, counts.diagonals));
  if (plan.get(key::kDiaHoles))
    own = joined({own,
                  {array("holeSet", offset, ceilDiv(counts.rows, kHoleRows)),
                   array("holes", ElementType::u32, counts.holeWords)}});
  return joined({own,
                 vectors(problem),
                 {number("rows", offset, counts.rows), number("cols", column, counts.cols),
                  number("stride", offset, ellStride(counts.rows)),
                  ifGeneral(isGeneral, array(kDiaOffsets, ElementType::i64, counts.diagonals)),
                  ifGeneral(isGeneral, number("diagonals", ElementType::i32, counts.diagonals))}});
}

std::string whyNotDia(int64_t diagonals, int64_t rows, int64_t nnz) {
  if (diagonals > kMaxDiagonals)
    return llvm::formatv("dia would have more than {0} diagonals, which is the limit",
                         kMaxDiagonals);
  const int64_t slots = ellSlots(rows, diagonals);
  if (slots > kMaxSlots)
    return llvm::formatv("dia of {0} diagonals needs {0} x {1} slots; the limit is {2}", diagonals,
                         ellStride(rows), kMaxSlots);
  // The second term allows for rounding up to whole warps, which matters only if there are few
  // rows.
  if (slots > kMaxDiaPadding * nnz + kHoleRows * diagonals)
    return llvm::formatv(
        "dia of {0} diagonals would store {1:f1} slots for each of {2} entries; the limit is {3}",
        diagonals, static_cast<double>(slots) / static_cast<double>(nnz), nnz, kMaxDiaPadding);
  return "";
}

using Offsets = std::vector<int64_t>;
// Stands for "no diagonal".
constexpr int64_t kNone = kDiaNoStray;

static_assert(kHoleRows == 32); // the rows of diaInside()

namespace {
// Gives entries their slots, and checks what the plan assumes of the matrix.
template <class I> class DiaPacker {
public:
  DiaPacker(const CsrPattern<I> &a, const Offsets &offsets, Slots &slots)
      : a_(a), offsets_(offsets), slots_(slots),
        words_(static_cast<size_t>(ceilDiv(a.rows, kHoleRows)) * offsets.size()) {}

  void pack() {
    constexpr int64_t kGroups = 128; // packed by a thread at a time
    const int64_t groups = ceilDiv(a_.rows, kHoleRows);
    parallelFor(groups, kGroups, [&](int64_t begin, int64_t end) {
      for (int64_t group = begin; group < end; ++group)
        packGroup(group);
    });
  }

  bool repeats() const { return repeats_; }
  // The least offset of the entries outside all diagonals of the plan, or kDiaNoStray.
  int64_t stray() const { return stray_; }
  // Returns a word of holes for each group of kHoleRows rows and each diagonal.
  const std::vector<uint32_t> &holes() const { return words_; }

private:
  void packGroup(int64_t group) {
    uint32_t *words = words_.data() + group * diagonals();
    const int64_t first = group * kHoleRows, last = std::min(first + kHoleRows, a_.rows);
    for (int64_t row = first; row < last; ++row)
      packRow(row, words);
    for (int64_t d = 0; d < diagonals(); ++d)
      words[d] = ~words[d] & diaInside(first, offsets_[d], a_.rows, a_.cols);
  }

  // Sets the bits of the row's entries.
  void packRow(int64_t row, uint32_t *words) {
    const uint32_t bit = 1U << row % kHoleRows;
    int64_t d = 0;
    for (int64_t e = a_.rowPtr[row]; e < a_.rowPtr[row + 1]; ++e, ++d) {
      const int64_t offset = a_.col[e] - row;
      d = find(offset, d);
      if (d == kNone)
        return noteStray(offset);
      if (words[d] & bit)
        repeats_ = true;
      words[d] |= bit;
      slots_[e] = static_cast<uint32_t>(diaSlot(row, d, ellStride(a_.rows)));
    }
  }

  // The diagonal of this offset. It is `guess` if the row has an entry on every diagonal so far.
  int64_t find(int64_t offset, int64_t guess) const {
    if (guess < diagonals() && offsets_[guess] == offset)
      return guess;
    const auto found = std::lower_bound(offsets_.begin(), offsets_.end(), offset);
    return found != offsets_.end() && *found == offset ? found - offsets_.begin() : kNone;
  }

  void noteStray(int64_t offset) {
    int64_t known = stray_;
    while (offset < known && !stray_.compare_exchange_weak(known, offset))
      ;
  }

  int64_t diagonals() const { return static_cast<int64_t>(offsets_.size()); }

  CsrPattern<I> a_;
  const Offsets &offsets_;
  Slots &slots_;
  std::vector<uint32_t> words_;
  std::atomic<bool> repeats_ = false;
  std::atomic<int64_t> stray_ = kDiaNoStray;
};
} // namespace

// Concatenates the distinct sets of holes; the groups of a grid have few. setOf[group] becomes the
// number of the group's set, or -1 if the group has no holes.
template <class Offset>
static std::vector<uint32_t> distinctSets(const std::vector<uint32_t> &words, size_t diagonals,
                                          Offset *setOf) {
  std::unordered_map<std::string_view, int64_t> known;
  std::vector<uint32_t> sets;
  for (size_t begin = 0; begin < words.size(); begin += diagonals, ++setOf) {
    const uint32_t *set = words.data() + begin;
    *setOf = Offset(-1);
    if (std::all_of(set, set + diagonals, [](uint32_t word) { return word == 0; }))
      continue;
    const std::string_view key(reinterpret_cast<const char *>(set), diagonals * sizeof(uint32_t));
    const auto [found, isNew] = known.emplace(key, static_cast<int64_t>(known.size()));
    *setOf = static_cast<Offset>(found->second);
    if (isNew)
      sets.insert(sets.end(), set, set + diagonals);
  }
  return sets;
}

static void fillHoles(const std::vector<uint32_t> &words, size_t diagonals, Layout &out) {
  LayoutArray &setOf = *out.find("holeSet");
  const std::vector<uint32_t> sets = setOf.type == ElementType::i32
                                         ? distinctSets(words, diagonals, setOf.as<int32_t>())
                                         : distinctSets(words, diagonals, setOf.as<int64_t>());
  out.resize("holes", static_cast<int64_t>(sets.size()));
  std::copy(sets.begin(), sets.end(), out.find("holes")->as<uint32_t>());
}

static llvm::Error checkOffsets(const Offsets &offsets, const MatrixSize &a) {
  for (size_t i = 0; i < offsets.size(); ++i)
    if (offsets[i] <= -a.rows || offsets[i] >= a.cols || (i > 0 && offsets[i] <= offsets[i - 1]))
      return fail(Status::notApplicable,
                  "the plan has {0} at place {1} of dia.offsets; offsets must ascend and lie in "
                  "{2}..{3} for a matrix of {4} x {5}",
                  offsets[i], i, 1 - a.rows, a.cols - 1, a.rows, a.cols);
  const auto diagonals = static_cast<int64_t>(offsets.size());
  if (const std::string why = whyNotDia(diagonals, a.rows, a.nnz); !why.empty())
    return failWith(Status::notApplicable, why);
  return llvm::Error::success();
}

llvm::Expected<std::vector<int64_t>> diaOffsets(const Plan &plan, const MatrixSize &a) {
  Offsets offsets = plan.has(key::kDiaOffsets) ? plan.get(key::kDiaOffsets) : Offsets{};
  const int64_t slots = ellSlots(a.rows, std::ssize(offsets));
  if (llvm::Error error = checkIndexTypes(plan, a.rows, a.cols, slots))
    return error;
  if (llvm::Error error = checkOffsets(offsets, a))
    return error;
  return offsets;
}

llvm::Error checkDiaEntries(const Plan &plan, int64_t stray, int64_t holes) {
  const size_t diagonals = plan.has(key::kDiaOffsets) ? plan.get(key::kDiaOffsets).size() : 0;
  if (stray != kDiaNoStray)
    return fail(Status::notApplicable,
                "the matrix has an entry on diagonal {0}, which is not one of the {1} in the "
                "plan's dia.offsets",
                stray, diagonals);
  if (holes > 0 && !plan.get(key::kDiaHoles))
    return fail(Status::notApplicable,
                "the plan's holes = 0 does not fit the matrix, which has no entry at "
                "{0} places of its {1} diagonals; it needs holes = 1",
                holes, diagonals);
  return llvm::Error::success();
}

template <class I>
static llvm::Error packMatrix(const CsrPattern<I> &a, const Plan &plan, const Offsets &offsets,
                              Layout &out) {
  DiaPacker packer(a, offsets, out.slots);
  packer.pack();
  int64_t holes = 0;
  for (uint32_t word : packer.holes())
    holes += llvm::popcount(word);
  if (llvm::Error error = checkDiaEntries(plan, packer.stray(), holes))
    return error;
  out.slotsAreShared = packer.repeats();
  if (plan.get(key::kDiaHoles))
    fillHoles(packer.holes(), offsets.size(), out);
  return llvm::Error::success();
}

llvm::Expected<Layout> diaLayout(const CsrView &a, const Plan &plan, const Problem &problem) {
  auto offsets = diaOffsets(plan, dimensionsOf(a));
  if (!offsets)
    return offsets.takeError();
  Layout out;
  addFields(out, diaFields(plan, problem, {a.rows, a.cols, std::ssize(*offsets)}));
  out.slots = Slots(static_cast<size_t>(a.nnz));
  std::copy(offsets->begin(), offsets->end(), out.find(kDiaOffsets)->as<int64_t>());
  if (llvm::Error error =
          visitPattern(a, [&](auto pattern) { return packMatrix(pattern, plan, *offsets, out); }))
    return error;
  return out;
}

} // namespace specmv
