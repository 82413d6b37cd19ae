// What --help prints, all of it from the table of verbs and the options that are registered.
#pragma once

#include "runtime/cli/registered.h"

namespace specmv::cli {

// Of the tool: a line for each verb.
std::string toolHelp();
// Of a verb, or of a word behind it: its purpose, its own options, examples, exit statuses.
std::string verbHelp(const Registered &r, const Verb &verb, const VerbWord *word);

} // namespace specmv::cli
