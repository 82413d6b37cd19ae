// Pieces of a page: HTML, its frame and style sheet, charts in SVG, and pictures in PNG.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace specmv::cli {

// --- Html ----------------------------------------------------------------------------------------

// Makes pieces of a page in HTML. Whatever comes from outside is escaped here.

// Returns the text for HTML, inside and outside of quotes. What cannot be shown, such as control
// characters and invalid UTF-8, appears as \x1b; line ends stay.
std::string escaped(llvm::StringRef text);

// A cell has HTML. Numbers are right-aligned.
enum class Column : uint8_t { text, number };
struct HtmlRow {
  std::vector<std::string> cells;
  bool isMarked = false; // stands out
};
struct HtmlTable {
  std::vector<std::pair<const char *, Column>> head;
  std::vector<HtmlRow> rows = {};
  std::string str() const;
};

// Text that is not broken into lines.
std::string htmlWord(llvm::StringRef text);
// The name of a matrix, which may be broken behind its commas.
std::string htmlName(llvm::StringRef matrix);
std::string htmlParagraph(const std::string &html);
// A section with a heading; `id` is its anchor.
std::string htmlSection(llvm::StringRef id, llvm::StringRef title, const std::string &body);
std::string htmlFigure(const std::string &picture, const std::string &caption);

// "-" for 0, which says that a time was not measured, otherwise the time with its unit.
std::string timeOrDash(double us);
// Returns a count in full, in groups of three: "12,345,678".
std::string groupedCount(int64_t count);

// --- Page shell ----------------------------------------------------------------------------------

// The frame of a page: its head with the style sheet, its contents and its sections.

struct PageSection {
  const char *id;         // its anchor, as in htmlSection()
  const char *inContents; // its name in the contents
  std::string html;
};

// `title` and `header`, the line below it, are text.
std::string wholePage(llvm::StringRef title, llvm::StringRef header,
                      llvm::ArrayRef<PageSection> sections);

// --- Svg -----------------------------------------------------------------------------------------

// Draws in SVG: a canvas, axes, and the frame of a chart. Colours are classes, which the page's
// style sheet defines for each theme.

struct SvgPoint {
  double x, y;
};
enum class Anchor : uint8_t { start, middle, end };

class Svg {
public:
  // `title` says in words what is drawn, for readers who do not see it.
  Svg(double width, double height, llvm::StringRef title);

  void line(SvgPoint from, SvgPoint to, llvm::StringRef kind);
  // A rectangle; if `title` is not empty, it is shown where the mouse rests.
  void box(SvgPoint corner, double width, double height, llvm::StringRef kind,
           llvm::StringRef title = "");
  void dot(SvgPoint centre, double radius, llvm::StringRef kind, llvm::StringRef title = "");
  void curve(llvm::ArrayRef<SvgPoint> points, llvm::StringRef kind);
  void text(SvgPoint at, Anchor anchor, llvm::StringRef text, llvm::StringRef kind = "");
  // Text that runs upwards, centred on a point.
  void upwards(SvgPoint centre, llvm::StringRef text);
  std::string str() const { return text_ + "</svg>\n"; }

private:
  std::string text_;
};

// The scales of an axis. `counts` is logarithmic for 1 + the value, and thus has a place for 0;
// `none` is linear without ticks.
enum class Scale : uint8_t { linear, decades, counts, none };

// An axis from `least` to `most`, drawn from one coordinate to the other.
struct Axis {
  double least, most;
  Scale scale = Scale::linear;
  std::string title = {};
  std::string (*name)(double) = nullptr; // of a tick
  double from = 0, to = 0;

  double at(double value) const;
  // Few round values between least and most.
  std::vector<double> ticks() const;
};

// A value of the axis that runs to the right, with its name and the class of its line.
struct Mark {
  double value;
  std::string name;
  const char *kind;
};

// A frame with axes, grid, names of the ticks and titles; x runs to the right and y upwards.
struct Chart {
  Axis x, y;
  Svg svg;

  Chart(double width, double height, Axis horizontal, Axis vertical, llvm::StringRef title);
  SvgPoint at(double valueX, double valueY) const { return {x.at(valueX), y.at(valueY)}; }
  // Vertical marks, whose names stand below one another at the top.
  void mark(llvm::ArrayRef<Mark> marks);
};

// A number of an axis: "0.001", "20", "5k", "2M"; and a time of an axis: "20 us", "2.5 s".
std::string tickText(double value);
std::string timeTick(double us);

// --- Png -----------------------------------------------------------------------------------------

// Writes a picture as PNG (W3C, 2003): one hue whose strength says how much a cell has.

// The strengths of a pixel: 0 is transparent, so that the picture suits light and dark pages.
constexpr int kInkLevels = 16;

// Returns a PNG of these strengths, row by row, as a URI for an image's address; width and height
// are at least 1.
std::string pngUri(const std::vector<uint8_t> &levels, int width, int height);

// --- Words ---------------------------------------------------------------------------------------

// Words that several sections of pages have.

// Tells people which algorithms of cuSPARSE our names stand for.
constexpr const char *kCusparseLegend =
    "Of cuSPARSE, cusparse-csr, -csr1 and -csr2 are cusparseSpMV on CSR with its default "
    "algorithm, ALG1 and ALG2; -coo, -sell and -bsr are cusparseSpMV on COO, sliced ELL and BSR; "
    "-op, -op1 and -op2 are cusparseSpMVOp with its default algorithm, ALG1 and ALG2; -generic and "
    "-generic1 are cusparseSpMVGeneric with its default algorithm and ALG1.";

} // namespace specmv::cli
