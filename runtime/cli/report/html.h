// Makes pieces of a page in HTML. Whatever comes from outside is escaped here.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace specmv::cli {

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

} // namespace specmv::cli
