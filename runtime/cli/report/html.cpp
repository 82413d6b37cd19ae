// Writes tables, sections and escaped text.
#include "runtime/cli/report/html.h"

#include "models/base/shown.h"
#include "models/base/units.h"

#include "llvm/Support/FormatVariadic.h"

namespace specmv::cli {

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

} // namespace specmv::cli
