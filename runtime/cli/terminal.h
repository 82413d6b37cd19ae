// What of a text may reach a terminal, and its colours there.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace specmv::cli {

// Remembers what the caller gave with line ends in it: arguments, and variables of the environment
// that specmv reads. They are shown on one line.
void rememberGiven(int argc, const char *const *argv);

// The text with every byte that a terminal may obey as \x1b: control characters (also those of two
// bytes), DEL, marks that turn the direction of writing, what is no UTF-8, and line ends of a name
// that was given. Tabs and other line ends stay.
std::string forTerminal(llvm::StringRef text);

// Whether this file descriptor is a terminal that obeys escape sequences (TERM is not dumb).
bool obeysEscapes(int fd);
// Whether colours are wanted there, too (NO_COLOR is not set).
bool hasColours(int fd);

// As the terminal colours it.
enum class Ink : uint8_t { bold, red, yellow, cyan };
std::string inked(Ink ink, llvm::StringRef text);
// The text with the label of each line bold: a word at its begin, before at least two blanks.
std::string withBoldLabels(llvm::StringRef text);

} // namespace specmv::cli
