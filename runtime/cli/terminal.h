// What of a text may reach a terminal.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace specmv::cli {

// Remembers what the caller gave with line ends in it: arguments, and variables of the environment
// that specmv reads. They are shown on one line.
void rememberGiven(int argc, const char *const *argv);

// The text with every byte that a terminal may obey as \x1b: control characters (also those of two
// bytes), DEL, marks that turn the direction of writing, what is no UTF-8, and line ends of a name
// that was given. Tabs and other line ends stay.
std::string forTerminal(llvm::StringRef text);

} // namespace specmv::cli
