// Writes SVG elements, and lays out the frame of a chart.
#include "runtime/cli/report/svg.h"

#include "models/base/decimal.h"
#include "models/base/units.h"
#include "runtime/cli/report/html.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

namespace specmv::cli {

Svg::Svg(double width, double height, llvm::StringRef title)
    : text_(llvm::formatv(
          "<svg viewBox=\"0 0 {0:f0} {1:f0}\" role=\"img\" style=\"max-width:{0:f0}px\">"
          "<title>{2}</title>\n",
          width, height, escaped(title))) {}

static std::string titled(llvm::StringRef element, llvm::StringRef title) {
  return title.empty()
             ? "/>\n"
             : llvm::formatv("><title>{0}</title></{1}>\n", escaped(title), element).str();
}

void Svg::line(SvgPoint from, SvgPoint to, llvm::StringRef kind) {
  text_ += llvm::formatv(
      "<line class=\"{0}\" x1=\"{1:f1}\" y1=\"{2:f1}\" x2=\"{3:f1}\" y2=\"{4:f1}\"/>\n", kind,
      from.x, from.y, to.x, to.y);
}

void Svg::box(SvgPoint corner, double width, double height, llvm::StringRef kind,
              llvm::StringRef title) {
  text_ += llvm::formatv("<rect class=\"{0}\" x=\"{1:f1}\" y=\"{2:f1}\" width=\"{3:f1}\" "
                         "height=\"{4:f1}\"{5}",
                         kind, corner.x, corner.y, std::max(0.0, width), std::max(0.0, height),
                         titled("rect", title));
}

void Svg::dot(SvgPoint centre, double radius, llvm::StringRef kind, llvm::StringRef title) {
  text_ += llvm::formatv("<circle class=\"{0}\" cx=\"{1:f1}\" cy=\"{2:f1}\" r=\"{3:f1}\"{4}", kind,
                         centre.x, centre.y, radius, titled("circle", title));
}

void Svg::curve(llvm::ArrayRef<SvgPoint> points, llvm::StringRef kind) {
  std::string all;
  for (const SvgPoint &p : points)
    all += llvm::formatv("{0}{1:f1},{2:f1}", all.empty() ? "" : " ", p.x, p.y);
  text_ += llvm::formatv("<polyline class=\"{0}\" points=\"{1}\"/>\n", kind, all);
}

void Svg::text(SvgPoint at, Anchor anchor, llvm::StringRef text, llvm::StringRef kind) {
  const char *where = anchor == Anchor::start ? "start" : anchor == Anchor::end ? "end" : "middle";
  text_ += llvm::formatv("<text class=\"{0}\" x=\"{1:f1}\" y=\"{2:f1}\" text-anchor=\"{3}\">{4}"
                         "</text>\n",
                         kind, at.x, at.y, where, escaped(text));
}

void Svg::upwards(SvgPoint centre, llvm::StringRef text) {
  text_ += llvm::formatv("<text class=\"axis\" text-anchor=\"middle\" "
                         "transform=\"translate({0:f1} {1:f1}) rotate(-90)\">{2}</text>\n",
                         centre.x, centre.y, escaped(text));
}

static double shareOf(const Axis &axis, double value) {
  const auto scaled = [&](double v) {
    return axis.scale == Scale::linear || axis.scale == Scale::none ? v
           : axis.scale == Scale::decades                           ? std::log(v)
                                                                    : std::log1p(v);
  };
  const double least = scaled(axis.least), most = scaled(axis.most);
  return most > least ? (scaled(value) - least) / (most - least) : 0;
}

double Axis::at(double value) const {
  return from + (to - from) * shareOf(*this, std::clamp(value, least, most));
}

// Adds 1, 2 and 5 times a power of ten, or the powers alone if there are many decades.
static std::vector<double> decadeTicks(double least, double most) {
  std::vector<double> out;
  const double decades = std::log10(most / least);
  const int every = std::max(1, static_cast<int>(std::ceil(decades / 8)));
  const int first = static_cast<int>(std::floor(std::log10(least)));
  for (int power = first; std::pow(10.0, power) <= most * (1 + 1e-9); ++power) {
    if (decades > 2.5 && (power - first) % every != 0)
      continue;
    for (const double times : {1.0, 2.0, 5.0}) {
      const double value = times * std::pow(10.0, power);
      if ((times == 1 || decades <= 2.5) && value >= least * (1 - 1e-9) &&
          value <= most * (1 + 1e-9))
        out.push_back(value);
    }
  }
  return out;
}

static std::vector<double> evenTicks(double least, double most) {
  std::vector<double> out;
  if (!(most > least))
    return {least};
  const double power = std::pow(10.0, std::floor(std::log10((most - least) / 6)));
  double step = power;
  for (const double times : {2.0, 5.0, 10.0})
    if ((most - least) / step > 7)
      step = times * power;
  const auto first = static_cast<int64_t>(std::ceil(least / step - 1e-9));
  for (int64_t i = first; static_cast<double>(i) * step <= most * (1 + 1e-9); ++i)
    out.push_back(static_cast<double>(i) * step);
  return out;
}

std::vector<double> Axis::ticks() const {
  if (scale == Scale::none)
    return {};
  if (scale == Scale::linear)
    return evenTicks(least, most);
  if (scale == Scale::decades)
    return decadeTicks(least, most);
  std::vector<double> out = decadeTicks(1, std::max(1.0, most));
  out.insert(out.begin(), 0);
  return out;
}

std::string tickText(double value) {
  for (const auto &[size, unit] :
       {std::pair(1e12, "T"), std::pair(1e9, "G"), std::pair(1e6, "M"), std::pair(1e3, "k")})
    if (value >= size * (1 - 1e-9))
      return decimalText(std::round(value / size * 100) / 100) + unit;
  if (value == 0)
    return "0";
  if (value >= 1)
    return decimalText(std::round(value * 100) / 100);
  // Two digits that are not 0, never as 1e-05.
  const int places = 1 + static_cast<int>(-std::floor(std::log10(value) + 1e-9));
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*f", places, value);
  return llvm::StringRef(text).rtrim('0').str();
}

std::string timeTick(double us) {
  std::string text = shortTime(us);
  if (const size_t at = text.find(".0 "); at != std::string::npos)
    text.erase(at, 2);
  return text;
}

constexpr double kLeftEdge = 100, kRightEdge = 16, kTopEdge = 14, kBottomEdge = 46;

Chart::Chart(double width, double height, Axis horizontal, Axis vertical, llvm::StringRef title)
    : x(std::move(horizontal)), y(std::move(vertical)), svg(width, height, title) {
  x.from = kLeftEdge, x.to = width - kRightEdge;
  y.from = height - kBottomEdge, y.to = kTopEdge;
  for (const double tick : x.ticks()) {
    svg.line({x.at(tick), y.from}, {x.at(tick), y.to}, "grid");
    svg.text({x.at(tick), y.from + 16}, Anchor::middle, x.name ? x.name(tick) : tickText(tick));
  }
  for (const double tick : y.ticks()) {
    svg.line({x.from, y.at(tick)}, {x.to, y.at(tick)}, "grid");
    svg.text({x.from - 6, y.at(tick) + 4}, Anchor::end, y.name ? y.name(tick) : tickText(tick));
  }
  svg.line({x.from, y.from}, {x.to, y.from}, "frame");
  svg.line({x.from, y.from}, {x.from, y.to}, "frame");
  svg.text({(x.from + x.to) / 2, height - 10}, Anchor::middle, x.title, "axis");
  svg.upwards({12, (y.from + y.to) / 2}, y.title);
}

void Chart::mark(llvm::ArrayRef<Mark> marks) {
  constexpr double kLineHeight = 15;
  for (const Mark &mark : marks)
    svg.line({x.at(mark.value), y.from}, {x.at(mark.value), y.to}, mark.kind);
  double top = y.to + 11;
  for (const Mark &mark : marks) {
    const double at = x.at(mark.value);
    const bool isRight = at > (x.from + x.to) / 2;
    svg.text({at + (isRight ? -5 : 5), top}, isRight ? Anchor::end : Anchor::start, mark.name,
             "label");
    top += kLineHeight;
  }
}

} // namespace specmv::cli
