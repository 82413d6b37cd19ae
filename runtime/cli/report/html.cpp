// Writes tables, sections and escaped text, the frame of a page, charts, and pictures.
#include "runtime/cli/report/html.h"

#include "models/base/text.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <zlib.h>

namespace specmv::cli {

// --- Html ----------------------------------------------------------------------------------------

// Writes tables, sections and escaped text.

static llvm::StringRef entityOf(llvm::StringRef piece) {
  if (piece == "&")
    return "&amp;";
  if (piece == "<")
    return "&lt;";
  if (piece == ">")
    return "&gt;";
  if (piece == "\"")
    return "&quot;";
  return piece == "'" ? "&#39;" : piece;
}

std::string escaped(llvm::StringRef text) {
  std::string out;
  forEachShown(
      text, [](size_t) { return true; }, [&](llvm::StringRef piece) { out += entityOf(piece); });
  return out;
}

static std::string cellsText(const HtmlTable &table, const HtmlRow &row) {
  std::string out = row.isMarked ? "<tr class=\"chosen\">" : "<tr>";
  for (size_t i = 0; i < row.cells.size(); ++i)
    out += (table.head[i].second == Column::number ? "<td class=\"n\">" : "<td>") + row.cells[i] +
           "</td>";
  return out + "</tr>\n";
}

std::string HtmlTable::str() const {
  std::string out = "<div class=\"wide\"><table>\n<thead><tr>";
  for (const auto &[title, kind] : head)
    out += (kind == Column::number ? "<th class=\"n\">" : "<th>") + escaped(title) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const HtmlRow &row : rows)
    out += cellsText(*this, row);
  return out + "</tbody></table></div>\n";
}

std::string htmlWord(llvm::StringRef text) {
  return "<span class=\"word\">" + escaped(text) + "</span>";
}

std::string htmlName(llvm::StringRef matrix) {
  std::string out;
  for (const char letter : escaped(matrix))
    out += letter == ',' ? std::string(",<wbr>") : std::string(1, letter);
  return out;
}

std::string htmlParagraph(const std::string &html) { return "<p>" + html + "</p>\n"; }

std::string htmlSection(llvm::StringRef id, llvm::StringRef title, const std::string &body) {
  return llvm::formatv("<section id=\"{0}\">\n<h2>{1}</h2>\n{2}</section>\n", id, escaped(title),
                       body);
}

std::string htmlFigure(const std::string &picture, const std::string &caption) {
  return "<figure>\n" + picture + "<figcaption>" + caption + "</figcaption>\n</figure>\n";
}

std::string timeOrDash(double us) { return us > 0 ? shortTime(us) : "-"; }

std::string groupedCount(int64_t count) {
  std::string out = std::to_string(count);
  constexpr size_t kGroup = 3;
  const size_t least = count < 0 ? kGroup + 1 : kGroup;
  for (size_t at = out.size(); at > least; at -= kGroup)
    out.insert(at - kGroup, 1, ',');
  return out;
}

// --- Page shell ----------------------------------------------------------------------------------

// Writes the frame of a page with its style sheet: light and dark, and black on white in print.

// Dark colours hold for screens only, so that a page is printed in light ones.
constexpr const char *kStyle = R"css(
:root{--page:#fff;--text:#1b1f24;--muted:#57606a;--rule:#d0d7de;--panel:#f6f8fa;--one:#0969da;
--two:#bc4c00;--three:#1a7f37;--other:#8c959f;--mark:#fff3b0;--chosen:#ddf4ff;--inside:#fff;--odd:#0550ae}
@media screen and (prefers-color-scheme:dark){:root{--page:#0d1117;--text:#e6edf3;--muted:#9aa4ae;
--rule:#30363d;--panel:#161b22;--one:#58a6ff;--two:#f0883e;--three:#56d364;--other:#768390;
--mark:#5a4a00;--chosen:#12304f;--inside:#0d1117;--odd:#79c0ff}}
*{box-sizing:border-box}
html{color-scheme:light dark}
body{margin:0 auto;max-width:1000px;padding:16px 24px 48px;background:var(--page);color:var(--text);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
h1{font-size:26px;margin:8px 0;overflow-wrap:anywhere}
h2{font-size:20px;margin:36px 0 8px;padding-top:8px;border-top:1px solid var(--rule)}
h3{font-size:16px;margin:20px 0 6px}
p,li{overflow-wrap:anywhere}
nav{display:flex;flex-wrap:wrap;gap:2px 12px}
a{color:var(--one)}
.lead{font-size:18px}
.tiles{display:flex;flex-wrap:wrap;gap:10px;margin:14px 0}
.tile{background:var(--panel);border:1px solid var(--rule);border-radius:8px;padding:8px 14px}
.tile b{display:block;font-size:20px}
.tile span,figcaption,header p{color:var(--muted);font-size:13px}
figure{margin:12px 0}
svg{display:block;width:100%;height:auto;font-size:12px}
svg text{fill:var(--muted)}
svg .axis,svg .label{fill:var(--text)}
svg .label{font-weight:600;paint-order:stroke;stroke:var(--page);stroke-width:4px}
svg .inside{fill:var(--inside);font-weight:600}
svg .grid{stroke:var(--rule);stroke-width:.6}
svg .frame{stroke:var(--muted);stroke-width:1}
svg .bar{fill:var(--one)}
svg .mark,svg .roof,svg .total,svg .drop,svg .profile{fill:none;stroke-width:2}
svg .mark{stroke-dasharray:5 3}
svg line.one,svg polyline.one{stroke:var(--one)}
svg line.two,svg polyline.two{stroke:var(--two)}
svg line.three{stroke:var(--three)}
svg polyline.other{fill:none;stroke:var(--other);stroke-width:1.2}
svg .even-line{stroke:var(--text);stroke-width:1.2}
svg circle{stroke:var(--page);stroke-width:1}
svg circle.one{fill:var(--one)}
svg circle.two{fill:var(--two)}
svg circle.three{fill:var(--three)}
svg circle.other{fill:var(--other)}
svg .stem{stroke:var(--other);stroke-width:1.5}
svg .strong{stroke:var(--one);stroke-width:3}
svg .total{stroke:var(--one)}
svg .known{stroke-dasharray:2 4}
svg .compiled{stroke-dasharray:9 5}
svg .theirs{stroke:var(--two)}
svg .drop{stroke:var(--three);stroke-width:1;stroke-dasharray:3 3}
svg .even{fill:var(--one)}
svg .odd{fill:var(--odd)}
.levels{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(400px,100%),1fr));gap:20px}
.levels>*{min-width:0}
.spy{position:relative;border:1px solid var(--muted);min-height:8px}
.spy img{display:block;width:100%;height:100%;image-rendering:pixelated}
.part{position:absolute;border:1.5px solid var(--two);min-width:7px;min-height:7px}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:13px;margin:8px 0}
th,td{text-align:left;padding:3px 12px 3px 0;border-bottom:1px solid var(--rule);vertical-align:top}
th{color:var(--muted);font-weight:600}
.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.chosen td{background:var(--chosen);font-weight:600}
.word{white-space:nowrap}
td code{display:inline-block;min-width:15em;overflow-wrap:anywhere}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,"DejaVu Sans Mono",monospace;font-size:12.5px}
pre{background:var(--panel);border:1px solid var(--rule);border-radius:8px;padding:12px;
overflow-x:auto;line-height:1.45}
mark{background:var(--mark);color:inherit;border-radius:3px;padding:0 2px}
summary{cursor:pointer;color:var(--one)}
@media print{body{max-width:none;padding:0;font-size:11px}nav,details{display:none}
h2,h3{break-after:avoid}.levels{grid-template-columns:1fr 1fr}figure,.tiles,tr{break-inside:avoid}.wide,pre{overflow:visible}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:8.5px}table,figcaption,header p{font-size:9.5px}code{font-size:9px}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
@media (max-width:520px){.levels{grid-template-columns:minmax(0,1fr)}body{padding:8px 12px}}
)css";

static std::string contentsOf(llvm::ArrayRef<PageSection> sections) {
  std::string out = "<nav>";
  for (const PageSection &section : sections)
    out += std::string("<a href=\"#") + section.id + "\">" + section.inContents + "</a>";
  return out + "</nav>\n";
}

std::string wholePage(llvm::StringRef title, llvm::StringRef header,
                      llvm::ArrayRef<PageSection> sections) {
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                    "<title>" +
                    escaped(title) + " - specmv report</title>\n<style>" + kStyle +
                    "</style>\n</head>\n<body>\n<header>\n<h1>" + escaped(title) + "</h1>\n<p>" +
                    escaped(header) + "</p>\n</header>\n" + contentsOf(sections) + "<main>\n";
  for (const PageSection &section : sections)
    out += section.html;
  return out + "</main>\n</body>\n</html>\n";
}

// --- Svg -----------------------------------------------------------------------------------------

// Writes SVG elements, and lays out the frame of a chart.

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

// --- Png -----------------------------------------------------------------------------------------

// Makes PNGs with four bits a pixel and a palette whose entries differ in opacity.

static void addNumber(std::string &out, uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(number >> shift);
}

static const Bytef *zlibBytes(const std::string &text) {
  return reinterpret_cast<const Bytef *>(text.data());
}

static void addChunk(std::string &out, const std::string &name, const std::string &data) {
  const std::string both = name + data;
  addNumber(out, static_cast<uint32_t>(data.size()));
  out += both;
  addNumber(out, static_cast<uint32_t>(crc32(0, zlibBytes(both), static_cast<uInt>(both.size()))));
}

static std::string pngHeader(int width, int height) {
  std::string out;
  addNumber(out, static_cast<uint32_t>(width));
  addNumber(out, static_cast<uint32_t>(height));
  // 4 bits a pixel, a palette, deflate, no interlace
  return out + std::string("\x04\x03\x00\x00\x00", 5);
}

// Returns two pixels a byte; each row begins with the number of its filter, which is none.
static std::string packedRows(const std::vector<uint8_t> &levels, int width, int height) {
  std::string out;
  for (int row = 0; row < height; ++row) {
    out += '\0';
    const uint8_t *at = levels.data() + static_cast<size_t>(row) * static_cast<size_t>(width);
    for (int i = 0; i < width; i += 2)
      out += static_cast<char>(at[i] << 4 | (i + 1 < width ? at[i + 1] : 0));
  }
  return out;
}

static std::string deflated(const std::string &bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  // There is room, so that only zlib's own memory can run out.
  if (compress2(reinterpret_cast<Bytef *>(out.data()), &size, zlibBytes(bytes),
                static_cast<uLong>(bytes.size()), Z_BEST_COMPRESSION) != Z_OK)
    throw std::bad_alloc();
  out.resize(size);
  return out;
}

std::string pngUri(const std::vector<uint8_t> &levels, int width, int height) {
  // The weakest ink is still seen on white and on black.
  constexpr int kWeakest = 90, kStrongest = 255;
  std::string colours, opacities;
  for (int level = 0; level < kInkLevels; ++level) {
    colours += "\x2f\x81\xf7";
    opacities += static_cast<char>(
        level == 0 ? 0 : kWeakest + (kStrongest - kWeakest) * (level - 1) / (kInkLevels - 2));
  }
  std::string out = "\x89PNG\r\n\x1a\n";
  addChunk(out, "IHDR", pngHeader(width, height));
  addChunk(out, "PLTE", colours);
  addChunk(out, "tRNS", opacities);
  addChunk(out, "IDAT", deflated(packedRows(levels, width, height)));
  addChunk(out, "IEND", "");
  return "data:image/png;base64," + llvm::encodeBase64(llvm::StringRef(out));
}

} // namespace specmv::cli
