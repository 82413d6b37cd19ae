// Writes a profile: plain counts in JSON, and ratios, which are easier to judge, in text.
#include "runtime/cli/profile/report.h"

#include "llvm/Support/FormatVariadic.h"

namespace specmv::cli {

namespace json = llvm::json;

static double ratioOf(Count part, Count whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// JSON lists the W-fractiles of the row lengths for W = 32, the size of a warp.
constexpr Count kFractiles = 32;

static json::Array fractilesJson(const SparsityProfile &p) {
  json::Array out;
  for (Count length : fractiles(p.lengths, kFractiles))
    out.push_back(length);
  return out;
}

static json::Array pmfJson(const SparsityProfile &p) {
  json::Array out;
  for (const LengthCount &l : p.lengths)
    out.push_back(json::Array{l.length, l.rows});
  return out;
}

static json::Array slicesJson(const SparsityProfile &p) {
  json::Array out;
  for (const SliceCount &s : p.slices)
    out.push_back(json::Object{{"slice", s.slice}, {"sigma", s.window}, {"padded", s.padded}});
  return out;
}

static json::Array linesJson(const SparsityProfile &p) {
  json::Array out;
  for (const LineCount &l : p.lines)
    out.push_back(
        json::Object{{"sigma", l.window}, {"lines", l.lines}, {"fours", json::Array(l.fours)}});
  return out;
}

static json::Array spansJson(const SparsityProfile &p) {
  json::Array out;
  for (const SpanCount &s : p.spans)
    out.push_back(
        json::Object{{"blockRows", s.blockRows}, {"total", s.total}, {"longest", s.longest}});
  return out;
}

static json::Array tilesJson(const SparsityProfile &p) {
  json::Array out;
  for (const TileDensity &t : p.tiles)
    out.push_back(json::Object{
        {"d", t.d}, {"sampledEntries", t.sampledEntries}, {"density", json::Array(t.bins)}});
  return out;
}

// Sectors are tiles of 8 floats or 4 doubles.
constexpr size_t kFloatsLevel = 3, kDoublesLevel = 2;

static json::Array sectorsJson(const SparsityProfile &p) {
  json::Array out;
  for (const ReuseCount &r : p.reuse)
    out.push_back(json::Object{{"rows", r.groupRows},
                               {"sampledEntries", r.sampledEntries},
                               {"f32", r.first[kFloatsLevel]},
                               {"f64", r.first[kDoublesLevel]},
                               {"firstOfTile", json::Array(r.first)}});
  return out;
}

static json::Object blocksJson(const BlockFill &fill) {
  json::Array counts;
  for (const auto &row : fill.blocks)
    counts.push_back(json::Array(row));
  return json::Object{{"sampledRows", fill.sampledRows},
                      {"sampledEntries", fill.sampledEntries},
                      {"blocks", std::move(counts)}};
}

// Prints how full aligned blocks are, and into how many pieces tiles cut a row.
static void printBlocks(llvm::raw_ostream &out, const SparsityProfile &p) {
  out << "blocks    ";
  for (int side : {2, 3, 4, 8}) {
    const Count blocks = p.blockFill.blocks[side - 1][side - 1];
    out << llvm::formatv(" {0} x {0} full to {1:f2}{2}", side,
                         ratioOf(p.blockFill.sampledEntries, blocks * side * side),
                         side == 8 ? "" : ",");
  }
  out << llvm::formatv(
      " ({0})\n", p.sampled
                      ? llvm::formatv("a sample of {0} entries", p.blockFill.sampledEntries).str()
                      : "all entries");
  const ReuseCount &rows = p.reuse.front();
  out << "tiles      of";
  for (size_t level : {4, 8, 12, 16})
    out << llvm::formatv(" {0} columns have {1:f2}{2}", 1 << level,
                         ratioOf(rows.sampledEntries, rows.first[level]),
                         level == 16 ? " of a row's entries\n" : ",");
}

static void printSlices(llvm::raw_ostream &out, const SparsityProfile &p) {
  out << "slices     of 32 rows padded";
  const char *separator = "";
  for (const SliceCount &s : p.slices)
    if (s.slice == 32) {
      out << llvm::formatv("{0} {1:f2} times (sigma {2})", separator, ratioOf(s.padded, p.nnz),
                           s.window);
      separator = ",";
    }
  out << "\n";
}

// Prints how widely the entries of neighbouring rows read x, in columns and in 32-byte sectors.
static void printReach(llvm::raw_ostream &out, const SparsityProfile &p) {
  out << "spans     ";
  const char *separator = "";
  for (const SpanCount &s : p.spans)
    if (s.blockRows == 32 || s.blockRows == 256 || s.blockRows == 4096) {
      const Count blocks = (p.rows + s.blockRows - 1) / s.blockRows;
      out << llvm::formatv("{0} {1} rows reach {2:f0} columns (at most {3})", separator,
                           s.blockRows, ratioOf(s.total, blocks), s.longest);
      separator = ",";
    }
  out << "\nsectors   ";
  separator = "";
  for (const ReuseCount &r : p.reuse) {
    out << llvm::formatv("{0} {1} {2} {3:f2} (f32) or {4:f2} (f64) of x an entry", separator,
                         r.groupRows, r.groupRows == 1 ? "row reads" : "rows read",
                         ratioOf(r.first[kFloatsLevel], r.sampledEntries),
                         ratioOf(r.first[kDoublesLevel], r.sampledEntries));
    separator = ",";
  }
  out << "\n";
}

json::Object jsonOf(const SparsityProfile &p, const RowStatistics &rows, Count diagonals) {
  return json::Object{{"mean", rows.mean},
                      {"anpr", rows.mean},
                      {"std", rows.std},
                      {"variance", rows.variance},
                      {"skewness", rows.skewness},
                      {"max", rows.max},
                      {"maxnpr", rows.max},
                      {"min", rows.min},
                      {"mode", rows.mode},
                      {"emptyRows", rows.emptyRows},
                      {"bandwidth", p.bandwidth},
                      {"diagonals", diagonals},
                      {"distavg", rows.distavg},
                      {"sampled", p.sampled},
                      {"fractiles", fractilesJson(p)},
                      {"slices", slicesJson(p)},
                      {"lines", linesJson(p)},
                      {"spans", spansJson(p)},
                      {"sectors", sectorsJson(p)},
                      {"tiles", tilesJson(p)},
                      {"blockFill", blocksJson(p.blockFill)},
                      {"pmf", pmfJson(p)}};
}

void printProfile(llvm::raw_ostream &out, const SparsityProfile &p, const RowStatistics &rows,
                  Count diagonals, bool all) {
  const std::vector<Count> quarters = fractiles(p.lengths, 4);
  out << llvm::formatv(
             "rows       {0:f2} entries on average (sigma {1:f2}, skewness {2:f2}), {3} to "
             "{4}, most often {5}, {6} empty\n",
             rows.mean, rows.std, rows.skewness, rows.min, rows.max, rows.mode, rows.emptyRows)
      << llvm::formatv("fractiles  a quarter of the rows has at most {0} entries, half {1}, three "
                       "quarters {2}\n",
                       quarters[0], quarters[1], quarters[2])
      << llvm::formatv("columns    bandwidth {0}, {1} diagonals, first to last {2:f1} on average\n",
                       p.bandwidth, diagonals, rows.distavg);
  if (!all)
    return;
  printBlocks(out, p);
  printSlices(out, p);
  printReach(out, p);
}

} // namespace specmv::cli
