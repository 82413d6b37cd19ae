// Finds facts about values: flags and sets of parts of the entries, and values along diagonals.
#include "models/profile/value_facts.h"

#include "models/base/parallel.h"
#include "models/base/stage.h"
#include "models/profile/diagonals.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace specmv {

// --- Value facts ---------------------------------------------------------------------------------

// Finds facts about values. Threads take parts of the entries and gather flags and sets, so the
// result does not depend on the number of threads.

namespace {
// The different values of some entries, and the facts that do not hold for them.
struct SeenValues {
  PlaceTable<kMostDistinct> distinct;
  bool areMany = false;
  unsigned flags = 0;

  // The flags of a value in the table have been counted.
  template <class Word> void add(Word bits) {
    const size_t before = distinct.keys().size();
    if (!areMany && distinct.placeOf(bits) == kMostDistinct)
      areMany = true;
    if (areMany || distinct.keys().size() > before)
      flags = withFlagsOf(bits, flags);
  }
  void add(const SeenValues &other) {
    flags |= other.flags;
    areMany |= other.areMany;
    for (uint64_t bits : other.distinct.keys())
      areMany |= distinct.placeOf(bits) == kMostDistinct;
  }
};
} // namespace

// Entries that a thread takes at a time. For fewer, starting a thread would take longer.
constexpr int64_t kValuesTogether = 1 << 17;

template <class Value>
static void addValues(const Value *val, int64_t begin, int64_t end, SeenValues &seen) {
  auto before = ~bitsOf(val[begin]);
  for (int64_t e = begin; e < end; ++e)
    if (const auto bits = bitsOf(val[e]); bits != before) {
      seen.add(bits);
      before = bits;
    }
}

template <class Value> static SeenValues seenValues(const Value *val, int64_t count) {
  SeenValues all;
  std::mutex mutex;
  const auto areMany = [&] {
    std::lock_guard lock(mutex);
    return all.areMany;
  };
  parallelFor(count, kValuesTogether, [&](int64_t begin, int64_t end) {
    SeenValues part;
    part.areMany = areMany();
    addValues(val, begin, end, part);
    std::lock_guard lock(mutex);
    all.add(part);
  });
  return all;
}

ValueFacts factsOfValues(ValueType type, int64_t count, unsigned flags,
                         std::optional<std::vector<uint64_t>> values) {
  ValueFacts facts{.type = type, .count = count};
  facts.distinct = values ? static_cast<int>(values->size()) : kMostDistinct + 1;
  if (values)
    facts.values = std::move(*values);
  std::sort(facts.values.begin(), facts.values.end());
  facts.plusMinusOne = (flags & kNotPlusMinusOne) == 0;
  facts.exactInF32 = (flags & kNotF32) == 0;
  facts.exactInF16 = (flags & kNotF16) == 0;
  facts.exactInI16 = (flags & kNotI16) == 0;
  facts.exactInI8 = (flags & kNotI8) == 0;
  facts.finite = (flags & kNotFinite) == 0;
  return facts;
}

std::optional<bool> areConstantAlongDiagonals(const ValueFacts &facts,
                                              std::optional<int64_t> diagonals) {
  if (facts.count == 0)
    return true;
  if (facts.distinct > kMostComparedDiagonals ||
      (diagonals && (*diagonals > kMostComparedDiagonals || *diagonals < facts.distinct)))
    return false;
  return diagonals && facts.distinct == 1 ? std::optional(true) : std::nullopt;
}

ValueFacts valueFacts(const CsrView &a, std::optional<int64_t> diagonals) {
  const Stage stage("looking at values");
  const SeenValues seen = visitValues(a, [&](auto *val) { return seenValues(val, a.nnz); });
  std::optional<std::vector<uint64_t>> values;
  if (!seen.areMany)
    values.emplace(seen.distinct.keys().begin(), seen.distinct.keys().end());
  ValueFacts facts = factsOfValues(a.valueType, a.nnz, seen.flags, std::move(values));
  if (const auto known = areConstantAlongDiagonals(facts, diagonals))
    facts.constantAlongDiagonals = *known;
  else
    facts.setDiagonals(compareDiagonals(a));
  return facts;
}

void ValueFacts::setDiagonals(std::optional<std::vector<ValueOfDiagonal>> compared) {
  constantAlongDiagonals = compared.has_value();
  if (!compared || distinct == 1)
    return;
  diagonals = std::move(*compared);
  std::sort(diagonals.begin(), diagonals.end(),
            [](const auto &a, const auto &b) { return a.offset < b.offset; });
}

std::optional<double> ValueFacts::constant() const {
  if (distinct != 1)
    return std::nullopt;
  if (type == ValueType::f32)
    return std::bit_cast<float>(static_cast<uint32_t>(values.front()));
  return std::bit_cast<double>(values.front());
}

std::string ValueFacts::text() const {
  std::string text = llvm::formatv("specmv-values 1\ntype {0}\ncount {1}\ndistinct {2}\nvalues",
                                   nameOf(type), count, distinct);
  for (uint64_t bits : values)
    text += llvm::formatv(" {0:x-}", bits);
  const std::pair<const char *, bool> flags[] = {
      {"plusMinusOne", plusMinusOne},
      {"f32", exactInF32},
      {"f16", exactInF16},
      {"i16", exactInI16},
      {"i8", exactInI8},
      {"finite", finite},
      {"constantAlongDiagonals", constantAlongDiagonals}};
  for (const auto &[name, holds] : flags)
    text += llvm::formatv("\n{0} {1}", name, holds ? 1 : 0);
  return text + "\n";
}

// --- Value diagonals -----------------------------------------------------------------------------

// Compares the values along the diagonals of a matrix, as long as there are few diagonals.

namespace {
// The diagonals seen so far, each with one value.
struct SeenDiagonals {
  PlaceTable<kMostComparedDiagonals> offsets;
  std::array<uint64_t, kMostComparedDiagonals> bits;

  // Returns false if the diagonal has another value, or there are too many diagonals.
  bool add(uint64_t offset, uint64_t value) {
    const size_t before = offsets.keys().size(), place = offsets.placeOf(offset);
    if (place == kMostComparedDiagonals)
      return false;
    if (place == before)
      bits[place] = value;
    return bits[place] == value;
  }
  bool add(const SeenDiagonals &other) {
    const std::span<const uint64_t> keys = other.offsets.keys();
    for (size_t k = 0; k < keys.size(); ++k)
      if (!add(keys[k], other.bits[k]))
        return false;
    return true;
  }
  std::vector<ValueOfDiagonal> list() const {
    const std::span<const uint64_t> keys = offsets.keys();
    std::vector<ValueOfDiagonal> out;
    out.reserve(keys.size());
    for (size_t k = 0; k < keys.size(); ++k)
      out.push_back({static_cast<int64_t>(keys[k]), bits[k]});
    return out;
  }
};
} // namespace

template <class I, class Value>
static bool addRowTo(SeenDiagonals &seen, const CsrPattern<I> &a, const Value *val, int64_t row) {
  if (a.rowPtr[row + 1] - a.rowPtr[row] > kMostInComparedRow)
    return false;
  for (int64_t e = a.rowPtr[row]; e < a.rowPtr[row + 1]; ++e)
    if (!seen.add(static_cast<uint64_t>(a.col[e] - row), bitsOf(val[e])))
      return false;
  return true;
}

// Rows that a thread takes at a time: in a matrix with few diagonals, these have some ten thousand
// entries.
constexpr int64_t kComparedTogether = 1 << 13;

template <class I, class Value>
static std::optional<std::vector<ValueOfDiagonal>> compareOn(const CsrPattern<I> &a,
                                                             const Value *val) {
  SeenDiagonals all;
  std::mutex mutex;
  std::atomic<bool> isConstant{true};
  parallelFor(a.rows, kComparedTogether, [&](int64_t begin, int64_t end) {
    SeenDiagonals part;
    for (int64_t row = begin; row < end && isConstant; ++row)
      if (!addRowTo(part, a, val, row))
        isConstant = false;
    std::lock_guard lock(mutex);
    if (isConstant && !all.add(part))
      isConstant = false;
  });
  return isConstant ? std::optional(all.list()) : std::nullopt;
}

std::optional<std::vector<ValueOfDiagonal>> compareDiagonals(const CsrView &a) {
  return visitPattern(a, [&](const auto &p) {
    return visitValues(a, [&](auto *val) { return compareOn(p, val); });
  });
}

} // namespace specmv
