// Draws in SVG: a canvas, axes, and the frame of a chart. Colours are classes, which the page's
// style sheet defines for each theme.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>
#include <vector>

namespace specmv::cli {

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

} // namespace specmv::cli
