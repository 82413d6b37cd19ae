// Looks at the words of a call before LLVM's cl does: cl takes every option that any verb has for
// one of its own, prints messages of its own, and knows no word behind a verb.
#pragma once

#include "runtime/cli/registered.h"

#include <optional>

namespace specmv::cli {

// What the call asks help for; nullopt if it asks for none. "help VERB" and "VERB --help".
llvm::Expected<std::optional<std::string>> helpIn(const Registered &r, int argc,
                                                  const char *const *argv);

// Refuses a call without a verb, options that its verb does not have, and values that are missing
// or too many.
llvm::Error checkCallWords(const Registered &r, int argc, const char *const *argv);

// The call as a shell would take it, on one line: "specmv run 'my matrix.mtx'".
std::string callText(int argc, const char *const *argv);

} // namespace specmv::cli
