// Escapes everything in a text that a terminal may interpret, as \x1b: a message may contain names,
// values and contents of files, and these may contain any byte.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace specmv {

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

} // namespace specmv
