// Writes --help, all of it from the table of verbs and the registered options.
#pragma once

#include "runtime/cli/registered.h"

namespace specmv::cli {

// Returns the help of the tool: a line for each verb.
std::string toolHelp();
// Returns the help of a verb, or of a word after it: purpose, options, examples, exit statuses.
std::string verbHelp(const Registered &r, const Verb &verb, const VerbWord *word);

} // namespace specmv::cli
