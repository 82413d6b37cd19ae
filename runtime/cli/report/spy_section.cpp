// Shows where the entries of the matrix are: the whole, and parts of it step by step.
#include "runtime/cli/report/html.h"
#include "runtime/cli/report/png.h"
#include "runtime/cli/report/sections.h"
#include "runtime/cli/report/spy.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

namespace specmv::cli {

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

} // namespace specmv::cli
