// Checks the words of a call before LLVM's cl parses them, and writes the help.
#pragma once

#include "runtime/cli/registered.h"

#include <optional>

namespace specmv::cli {

// --- Call ----------------------------------------------------------------------------------------

// Checks the words of a call before LLVM's cl parses them: cl accepts options of other verbs,
// prints messages of its own, and does not know words after a verb.

// Returns the help that the call asks for by "help VERB" or "VERB --help"; nullopt if it asks for
// none.
llvm::Expected<std::optional<std::string>> helpIn(const Registered &r, int argc,
                                                  const char *const *argv);

// Refuses a call without a verb, options that its verb does not have, missing values and
// superfluous values.
llvm::Error checkCallWords(const Registered &r, int argc, const char *const *argv);

// Returns the call on one line, quoted for a shell: "specmv run 'my matrix.mtx'".
std::string callText(int argc, const char *const *argv);

// --- Help ----------------------------------------------------------------------------------------

// Writes --help, all of it from the table of verbs and the registered options.

// Returns the help of the tool: a line for each verb.
std::string toolHelp();
// Returns the help of a verb, or of a word after it: purpose, options, examples, exit statuses.
std::string verbHelp(const Registered &r, const Verb &verb, const VerbWord *word);

} // namespace specmv::cli
