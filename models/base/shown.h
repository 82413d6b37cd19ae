// A text with all that a terminal may obey as \x1b: it may have names, values and contents of files
// in it, and these any byte.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace specmv {

// How many bytes at this place are one character that may be shown; 0 if there is none. Not shown
// are control characters (also those of two bytes) but tabs, DEL, marks that turn the direction of
// writing, and what is no UTF-8. A line end is a control character here.
size_t shownBytes(llvm::StringRef text, size_t at);

// Calls put(piece) for the text in order, a piece being a character, or the \x1b of a byte. Line
// ends for whose places keepsLineEnd(at) is true stay. It allocates nothing.
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

// The text on one line.
std::string shownOnOneLine(llvm::StringRef text);

} // namespace specmv
