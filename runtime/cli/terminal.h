// Makes text safe for a terminal, and colours it there.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace specmv::cli {

// Remembers which caller-supplied texts contain line ends: arguments, and environment variables
// that specmv reads. They are shown on one line.
void rememberGiven(int argc, const char *const *argv);
// Remembers a name that was read from a file in the same way.
void rememberName(llvm::StringRef name);

// Escapes every byte that could control a terminal as \x1b: control characters (including those of
// two bytes), DEL, marks that change the direction of writing, invalid UTF-8, and line ends in
// caller-supplied text and in names. Tabs and other line ends stay.
std::string forTerminal(llvm::StringRef text);

// Returns true if this file descriptor is a terminal that obeys escape sequences (TERM is not
// dumb).
bool obeysEscapes(int fd);
// Returns true if colours are wanted there as well (NO_COLOR is not set).
bool hasColours(int fd);

enum class Ink : uint8_t { bold, red, yellow, cyan };
std::string inked(Ink ink, llvm::StringRef text);
// Makes the label of each line bold: a word at the start, followed by at least two blanks.
std::string withBoldLabels(llvm::StringRef text);

} // namespace specmv::cli
