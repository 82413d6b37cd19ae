// The table of a signature's fields: scalars, structures and lists of structures.
#include "models/signature/fields.h"

#include <algorithm>
#include <initializer_list>

namespace specmv {

using Numbers = std::span<const Count>;

static void append(Integers &out, std::initializer_list<Count> numbers) {
  out.insert(out.end(), numbers.begin(), numbers.end());
}

// --- The structures as numbers
// --------------------------------------------------------------------
static void put(const LengthCount &l, Integers &out) { append(out, {l.length, l.rows}); }
static void take(Numbers in, LengthCount &l) { l = {in[0], in[1]}; }

static void put(const DiagonalCount &d, Integers &out) { append(out, {d.offset, d.entries}); }
static void take(Numbers in, DiagonalCount &d) { d = {in[0], in[1]}; }

static void put(const SliceCount &s, Integers &out) { append(out, {s.slice, s.window, s.padded}); }
static void take(Numbers in, SliceCount &s) { s = {in[0], in[1], in[2]}; }

static void put(const LineCount &l, Integers &out) {
  append(out, {l.window, l.lines});
  out.insert(out.end(), l.fours.begin(), l.fours.end());
}
static void take(Numbers in, LineCount &l) {
  l = {in[0], in[1], {}};
  std::copy(in.begin() + 2, in.end(), l.fours.begin());
}

static void put(const SpanCount &s, Integers &out) {
  append(out, {s.blockRows, s.total, s.longest});
}
static void take(Numbers in, SpanCount &s) { s = {in[0], in[1], in[2]}; }

static void put(const ReuseCount &r, Integers &out) {
  append(out, {r.groupRows, r.sampledEntries});
  out.insert(out.end(), r.first.begin(), r.first.end());
}
static void take(Numbers in, ReuseCount &r) {
  r = {in[0], in[1], {}};
  std::copy(in.begin() + 2, in.end(), r.first.begin());
}

static void put(const TileDensity &t, Integers &out) {
  append(out, {t.d, t.sampledEntries});
  out.insert(out.end(), t.bins.begin(), t.bins.end());
}
static void take(Numbers in, TileDensity &t) {
  t = {in[0], in[1], {}};
  std::copy(in.begin() + 2, in.end(), t.bins.begin());
}

static void put(const BlockFill &b, Integers &out) {
  append(out, {b.sampledRows, b.sampledEntries});
  for (const auto &row : b.blocks)
    out.insert(out.end(), row.begin(), row.end());
}
static void take(Numbers in, BlockFill &b) {
  b.sampledRows = in[0];
  b.sampledEntries = in[1];
  for (size_t i = 0; i < 64; ++i)
    b.blocks[i / 8][i % 8] = in[2 + i];
}

// Words of 32 bits, lowest first: they fit the signed integers of the text.
static void put(const std::array<uint64_t, 2> &sum, Integers &out) {
  for (uint64_t half : sum)
    append(out, {static_cast<Count>(half & 0xffffffff), static_cast<Count>(half >> 32)});
}
static void take(Numbers in, std::array<uint64_t, 2> &sum) {
  for (size_t half = 0; half < 2; ++half)
    sum[half] =
        static_cast<uint64_t>(in[2 * half]) + (static_cast<uint64_t>(in[2 * half + 1]) << 32);
}

static void put(Count number, Integers &out) { out.push_back(number); }
static void take(Numbers in, Count &number) { number = in[0]; }

static void put(bool flag, Integers &out) { out.push_back(flag); }
static void take(Numbers in, bool &flag) { flag = in[0] != 0; }

// --- The fields
// -----------------------------------------------------------------------------------
template <class T> static void putField(const T &value, Integers &out) { put(value, out); }
template <class T> static void putField(const std::vector<T> &list, Integers &out) {
  for (const T &item : list)
    put(item, out);
}

template <class T> static size_t width() {
  Integers numbers;
  put(T{}, numbers);
  return numbers.size();
}

template <class T> static bool takeField(Numbers in, T &value) {
  if (in.size() != width<T>())
    return false;
  take(in, value);
  return true;
}
template <class T> static bool takeField(Numbers in, std::vector<T> &list) {
  const size_t step = width<T>();
  if (in.size() % step != 0)
    return false;
  for (size_t begin = 0; begin < in.size(); begin += step)
    take(in.subspan(begin, step), list.emplace_back());
  return true;
}

template <auto field>
constexpr SignatureField fieldOf(const char *key, bool (*holds)(const SparsityProfile &)) {
  return {key, [](const SparsityProfile &p, Integers &out) { putField(p.*field, out); },
          [](Numbers in, SparsityProfile &p) { return takeField(in, p.*field); }, holds};
}

static bool always(const SparsityProfile &) { return true; }

template <auto field> static bool notNegative(const SparsityProfile &p) {
  Integers numbers;
  putField(p.*field, numbers);
  return std::all_of(numbers.begin(), numbers.end(), [](Count number) { return number >= 0; });
}

// No address space has room for the arrays of a matrix with more rows or entries: 2^47 bytes for
// indices of 4 bytes (derived). Plans can therefore count bytes without overflow.
constexpr Count kMostRows = Count{1} << 45;

template <auto field> static bool isCount(const SparsityProfile &p) {
  return p.*field >= 0 && p.*field <= kMostRows;
}

using P = SparsityProfile;

constexpr SignatureField kFields[] = {
    fieldOf<&P::rows>("rows", isCount<&P::rows>),
    fieldOf<&P::cols>("cols", notNegative<&P::cols>),
    fieldOf<&P::nnz>("nnz", isCount<&P::nnz>),
    fieldOf<&P::fingerprint>("fingerprint", always),
    fieldOf<&P::lengths>("lengths", lengthsHold),
    fieldOf<&P::distSum>("distSum", notNegative<&P::distSum>),
    fieldOf<&P::bandwidth>("bandwidth", notNegative<&P::bandwidth>),
    fieldOf<&P::occupiedDiagonals>("occupiedDiagonals", notNegative<&P::occupiedDiagonals>),
    fieldOf<&P::diagonals>("diagonals", diagonalsHold),
    fieldOf<&P::blockFill>("blockFill", blockFillHolds),
    fieldOf<&P::slices>("slices", slicesHold),
    fieldOf<&P::lines>("lines", linesHold),
    fieldOf<&P::spans>("spans", spansHold),
    fieldOf<&P::reuse>("reuse", reuseHolds),
    fieldOf<&P::tiles>("tiles", tilesHold),
    fieldOf<&P::sampled>("sampled", always),
};

std::span<const SignatureField> signatureFields() { return kFields; }

} // namespace specmv
