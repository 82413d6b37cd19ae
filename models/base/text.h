// Text for people: numbers, units, names with control characters, and guesses at misspelt words.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

namespace specmv {

// --- Decimal -------------------------------------------------------------------------------------

// Writes doubles as text.

// The shortest decimal text that reads back as the same double, with a point in every locale.
inline std::string decimalText(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

// --- Units ---------------------------------------------------------------------------------------

// Numbers with units for people: one decimal, two below ten, in the unit in which the number is
// below 1000. Numbers for further computation are written exactly, by decimalText().

std::string shortTime(double us);                 // "4.1 us", "17.6 ms", "2.5 s"
std::string shortBytes(double bytes);             // "812 bytes", "1.7 MB"; 1 MB is 10^6 bytes
std::string shortRate(double gigabytesPerSecond); // "412.3 GB/s", "6.2 TB/s"
std::string counted(uint64_t count, const std::string &one, const std::string &more); // "1 entry"

// --- Shown ---------------------------------------------------------------------------------------

// Escapes everything in a text that a terminal may interpret, as \x1b: a message may contain names,
// values and contents of files, and these may contain any byte.

// The number of bytes of the character at this place if it may be shown, otherwise 0. Control
// characters except tabs (also those of two bytes), DEL, marks that change the writing direction,
// and invalid UTF-8 are not shown. A line end counts as a control character.
size_t shownBytes(llvm::StringRef text, size_t at);

// Calls put(piece) for each piece of the text in order; a piece is a character, or the escape of
// one byte, such as \x1b. A line end stays if keepsLineEnd(at) is true for its place. Allocates no
// memory.
template <class Keeps, class Put>
void forEachShown(llvm::StringRef text, Keeps &&keepsLineEnd, Put &&put) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (size_t at = 0; at < text.size();) {
    const bool isKept = text[at] == '\n' && keepsLineEnd(at);
    if (const size_t shown = isKept ? 1 : shownBytes(text, at)) {
      put(text.substr(at, shown));
      at += shown;
      continue;
    }
    const auto byte = static_cast<unsigned char>(text[at++]);
    const char escaped[] = {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    put(llvm::StringRef(escaped, sizeof escaped));
  }
}

// Escapes line ends too, so that the text stays on one line.
std::string shownOnOneLine(llvm::StringRef text);

// --- Spelling ------------------------------------------------------------------------------------

// Finds the known word that a misspelt word was probably meant to be.

// Returns "" if no known word is similar.
llvm::StringRef nearestTo(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> known);
// Returns " (did you mean 'ell'?)", to follow the word in a sentence, or "" if no known word is
// similar.
std::string meantBy(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> known);

// The names in a table, for meantBy().
template <class Table> std::vector<llvm::StringRef> namesIn(const Table &table) {
  std::vector<llvm::StringRef> names;
  for (const auto &row : table)
    names.push_back(row.name);
  return names;
}

} // namespace specmv
