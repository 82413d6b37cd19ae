// The sections about the matrix: how long rows are, where entries are, and what structure was
// found.
#include "runtime/cli/analyze/values.h"
#include "runtime/cli/report/html.h"
#include "runtime/cli/report/sections.h"
#include "runtime/cli/report/spy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace specmv::cli {

// --- Rows section --------------------------------------------------------------------------------

// Draws how long rows are: the probability mass function of their lengths, with the widths that
// formats derive from it.

namespace {
// Rows whose lengths are drawn as one bar.
struct LengthBar {
  Count first, last, rows;
};
} // namespace

// Up to this longest row each length has a bar of its own on an even axis.
constexpr Count kEvenLengths = 60;
constexpr int kMostBars = 80;

// Groups lengths by their places on an axis that is logarithmic for 1 + length.
static std::vector<LengthBar> barsOf(const std::vector<LengthCount> &lengths, Count longest) {
  std::map<int64_t, LengthBar> bars;
  const double all = std::log1p(static_cast<double>(std::max<Count>(1, longest)));
  for (const LengthCount &l : lengths) {
    const int64_t place =
        longest <= kEvenLengths
            ? l.length
            : std::lround(kMostBars * std::log1p(static_cast<double>(l.length)) / all);
    auto [at, isNew] = bars.try_emplace(place, LengthBar{l.length, l.length, 0});
    at->second.last = l.length;
    at->second.rows += l.rows;
  }
  std::vector<LengthBar> out;
  out.reserve(bars.size());
  for (const auto &[place, bar] : bars)
    out.push_back(bar);
  return out;
}

static Axis lengthAxis(Count longest) {
  constexpr double kLeastMost = 8; // so that ticks are whole numbers
  const auto most = static_cast<double>(longest);
  const std::string title = "entries of a row";
  return longest <= kEvenLengths
             ? Axis{-0.7, std::max(kLeastMost, most) + 0.7, Scale::linear, title}
             : Axis{0, most * 1.1, Scale::counts, title};
}

static std::string percentTick(double share) {
  return llvm::formatv("{0}%", tickText(share * 100));
}

static std::string lengthsText(const LengthBar &bar) {
  return bar.first == bar.last ? groupedCount(bar.first)
                               : groupedCount(bar.first) + " to " + groupedCount(bar.last);
}

static void drawBars(Chart &chart, const std::vector<LengthBar> &bars, Count rows) {
  constexpr double kLeastWidth = 6;
  for (const LengthBar &bar : bars) {
    const double share = static_cast<double>(bar.rows) / static_cast<double>(rows);
    const bool isEven = chart.x.scale == Scale::linear;
    const double left = chart.x.at(static_cast<double>(bar.first) - (isEven ? 0.4 : 0));
    const double right = chart.x.at(static_cast<double>(bar.last) + (isEven ? 0.4 : 0));
    const double width = std::max(kLeastWidth, right - left);
    const double top = chart.y.at(share);
    chart.svg.box(
        {(left + right - width) / 2, top}, width, chart.y.from - top, "bar",
        llvm::formatv("{0} entries: {1} rows", lengthsText(bar), groupedCount(bar.rows)).str());
  }
}

static std::string pmfChart(const Reported &r) {
  const Analysis &a = r.analysis;
  const Count rows = r.profile().rows, longest = a.rows.max;
  const double least = std::pow(10.0, std::floor(std::log10(0.6 / static_cast<double>(rows))));
  Chart chart(900, 330, lengthAxis(longest),
              {least, 1, Scale::decades, "share of the rows", percentTick},
              "row lengths: how many rows have how many entries");
  drawBars(chart, barsOf(r.profile().lengths, longest), rows);
  const auto mark = [](Count at, const char *name, const char *kind) {
    return Mark{static_cast<double>(at), name + groupedCount(at), kind};
  };
  chart.mark({mark(a.pmfK, "HYB's K, PMF model: ", "mark two"),
              mark(a.strips.hybK, "HYB's K, by row share: ", "mark three"),
              mark(longest, "ELL's width: ", "mark one")});
  return chart.svg.str();
}

static HtmlTable rowFacts(const RowStatistics &s) {
  const auto text = [](double value) { return llvm::formatv("{0:f2}", value).str(); };
  return {{{"mean", Column::number},
           {"sigma", Column::number},
           {"skewness", Column::number},
           {"shortest", Column::number},
           {"longest", Column::number},
           {"most frequent", Column::number},
           {"empty rows", Column::number}},
          {{{text(s.mean), text(s.std), text(s.skewness), groupedCount(s.min), groupedCount(s.max),
             groupedCount(s.mode), groupedCount(s.emptyRows)}}}};
}

std::string rowsSection(const Reported &r) {
  if (r.profile().rows == 0)
    return htmlSection("rows", "How long rows are", htmlParagraph("The matrix has no rows."));
  return htmlSection(
      "rows", "How long rows are",
      htmlFigure(pmfChart(r),
                 "The share of rows of each length (logarithmic). ELL pads all rows to its width; "
                 "HYB pads them to K, and stores what is longer in COO. K by row share is the "
                 "largest length that at least max(4096, rows / 3) rows reach.") +
          rowFacts(r.analysis.rows).str());
}

// --- Spy section ---------------------------------------------------------------------------------

// Shows where the entries of the matrix are: the whole, and parts of it step by step.

// Returns the ink of each cell, by the logarithm of its entries: those of one entry and of the
// fullest cell are told apart at any density.
static std::vector<uint8_t> inkOf(const SpyGrid &grid) {
  std::vector<uint8_t> out(grid.entries.size());
  const double most = std::log(static_cast<double>(std::max<int64_t>(2, grid.most())));
  for (size_t i = 0; i < out.size(); ++i)
    if (grid.entries[i] > 0)
      out[i] = static_cast<uint8_t>(
          1 +
          std::lround((kInkLevels - 2) * std::log(static_cast<double>(grid.entries[i])) / most));
  // Where all cells have one entry at most, there is nothing to tell apart.
  if (grid.most() == 1)
    for (uint8_t &ink : out)
      ink = ink ? kInkLevels - 1 : 0;
  return out;
}

// Returns a frame around the part that the next picture shows, in percent of this picture.
static std::string frameOf(const SpyWindow &next, const SpyWindow &of) {
  const auto share = [](int64_t part, int64_t whole) {
    return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  };
  return llvm::formatv("<span class=\"part\" "
                       "style=\"left:{0:f3}%;top:{1:f3}%;width:{2:f3}%;height:{3:f3}%\"></span>",
                       share(next.firstCol - of.firstCol, of.width()),
                       share(next.firstRow - of.firstRow, of.height()),
                       share(next.width(), of.width()), share(next.height(), of.height()));
}

static std::string captionOf(const SpyGrid &grid, bool isWhole, bool hasPart) {
  const SpyWindow &w = grid.window;
  const std::string what = isWhole
                               ? "The whole matrix"
                               : llvm::formatv("Rows {0} to {1}, columns {2} to {3}",
                                               groupedCount(w.firstRow), groupedCount(w.endRow - 1),
                                               groupedCount(w.firstCol), groupedCount(w.endCol - 1))
                                     .str();
  const std::string ink =
      grid.placesOfCell() == 1
          ? "a cell is one place"
          : llvm::formatv("a cell has about {0} places; the fullest has {1} entries",
                          groupedCount(grid.placesOfCell()), groupedCount(grid.most()))
                .str();
  return what + ": " + ink + (hasPart ? ". The frame is the next picture." : ".");
}

static std::string pictureOf(const SpyGrid &grid, const SpyGrid *next) {
  // The shorter side of a very long matrix is stretched.
  constexpr double kLeastShare = 0.06, kWhole = 100;
  const double down = grid.down, across = grid.across, longer = std::max(down, across);
  return llvm::formatv(
      "<div class=\"spy\" style=\"width:{0:f1}%;aspect-ratio:{1:f4}\">"
      "<img alt=\"density of entries\" src=\"{2}\">{3}</div>\n",
      kWhole * std::max(kLeastShare, across / longer),
      std::max(kLeastShare, across / longer) / std::max(kLeastShare, down / longer),
      pngUri(inkOf(grid), grid.across, grid.down), next ? frameOf(next->window, grid.window) : "");
}

std::string spySection(const Reported &r) {
  constexpr size_t kMostLevels = 4;
  if (r.a.view.rows == 0 || r.a.view.cols == 0)
    return htmlSection("spy", "Where the entries are",
                       htmlParagraph("The matrix has no places, so there is nothing to draw."));
  const std::vector<SpyGrid> levels = spyLevels(r.a.view, kMostLevels);
  std::string figures;
  for (size_t i = 0; i < levels.size(); ++i) {
    const SpyGrid *next = i + 1 < levels.size() ? &levels[i + 1] : nullptr;
    figures += htmlFigure(pictureOf(levels[i], next), captionOf(levels[i], i == 0, next));
  }
  return htmlSection(
      "spy", "Where the entries are",
      htmlParagraph(
          "Row 0 is at the top, column 0 at the left. The stronger the ink, the more "
          "entries a cell has (logarithmic). Further pictures show parts, each around the "
          "fullest cell of the one before.") +
          "<div class=\"levels\">\n" + figures + "</div>\n");
}

// --- Structure section ---------------------------------------------------------------------------

// Lists the structure that was found: diagonals, blocks, padding, symmetry and facts about values.

static std::string ratioText(Count part, Count whole) {
  return whole == 0
             ? "-"
             : llvm::formatv("{0:f2}", static_cast<double>(part) / static_cast<double>(whole))
                   .str();
}

static std::string diagonalsText(const Reported &r) {
  constexpr size_t kMostListed = 24;
  const auto &diagonals = r.profile().diagonals;
  std::string out = groupedCount(r.analysis.diagonals) + " of " +
                    groupedCount(std::max<Count>(0, r.profile().rows + r.profile().cols - 1)) +
                    " have entries";
  if (diagonals.empty() || diagonals.size() > kMostListed)
    return out;
  std::vector<std::string> texts;
  texts.reserve(diagonals.size());
  for (const DiagonalCount &d : diagonals)
    texts.push_back(llvm::formatv("{0} ({1} entries)", d.offset, groupedCount(d.entries)));
  return out + ": " + llvm::join(texts, ", ");
}

static std::string blocksText(const SparsityProfile &p) {
  std::vector<std::string> texts;
  for (const int side : {2, 3, 4, 6, 8})
    texts.push_back(llvm::formatv("{0} x {0} {1}", side,
                                  ratioText(p.blockFill.sampledEntries,
                                            p.blockFill.blocks[side - 1][side - 1] * side * side)));
  return "how full they are: " + llvm::join(texts, ", ") +
         (p.sampled ? " (a sample of " + groupedCount(p.blockFill.sampledEntries) + " entries)"
                    : "");
}

static std::string paddingText(const SparsityProfile &p) {
  constexpr Count kSlice = 32;
  std::vector<std::string> texts;
  for (const SliceCount &s : p.slices)
    if (s.slice == kSlice)
      texts.push_back(
          ratioText(s.padded, p.nnz) +
          (s.window == 1 ? " unsorted" : " sorted in " + groupedCount(s.window) + " rows"));
  return "slots for each entry: " + llvm::join(texts, ", ");
}

static std::string reachText(const SparsityProfile &p) {
  std::vector<std::string> texts;
  for (const SpanCount &s : p.spans)
    if (s.blockRows == 32 || s.blockRows == 4096)
      texts.push_back(llvm::formatv("{0} neighbouring rows span at most {1} columns",
                                    groupedCount(s.blockRows), groupedCount(s.longest)));
  return llvm::join(texts, "; ");
}

static std::string symmetryText(const CsrView &a) {
  if (a.rows != a.cols)
    return "none: the matrix is not square";
  const SymmetrySample sample = sampleSymmetry(a);
  if (sample.entries == 0)
    return "no entries off the diagonal";
  return llvm::formatv("of {0} entries off the diagonal{3}, {1} have an entry at the mirrored "
                       "place, {2} of them with the same value",
                       groupedCount(sample.entries), groupedCount(sample.mirrored),
                       groupedCount(sample.equal), sample.isAll ? "" : " in a sample");
}

std::string structureSection(const Reported &r) {
  const SparsityProfile &p = r.profile();
  const std::pair<const char *, std::string> facts[] = {
      {"Size", groupedCount(p.rows) + " x " + groupedCount(p.cols) + ", " + groupedCount(p.nnz) +
                   " entries, " + ratioText(p.nnz, p.rows) + " a row"},
      {"Matrix bandwidth", groupedCount(p.bandwidth)},
      {"Diagonals", diagonalsText(r)},
      {"Aligned blocks", blocksText(p)},
      {"Slices of 32 rows", paddingText(p)},
      {"Reach", reachText(p)},
      {"Symmetry", symmetryText(r.a.view)},
      {"Values", valuesText(r.analysis.values)}};
  HtmlTable table{{{"what", Column::text}, {"found", Column::text}}};
  for (const auto &[name, text] : facts)
    table.rows.push_back({{escaped(name), escaped(text)}});
  return htmlSection("structure", "What structure was found", table.str());
}

} // namespace specmv::cli
