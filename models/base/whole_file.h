// Writes files that are complete or do not exist.
#pragma once

#include "models/base/error.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <sys/types.h>

namespace specmv {

// Writes the output of `write` to a new file (models/base/fresh_file.h), which then replaces
// `path`, or the file that `path` links to. Refuses a link of another user in a sticky folder that
// all may write to. After an error nothing has changed. A character device, a pipe, and an open
// descriptor of this process (/dev/stdout, /dev/fd/3) are written in place, the descriptor at its
// current position. Any other `path` that exists and is not a regular file is refused. Errors read
// `path: error: sentence`, with badInput. The file gets at most the mode `most`.
llvm::Error writeWholeFile(llvm::StringRef path,
                           llvm::function_ref<void(llvm::raw_ostream &)> write, mode_t most = 0666);

// Does the same for a name that the user did not choose: whatever has this name is replaced, and a
// link is not followed.
llvm::Error writeNewFile(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write);

// Returns the error that writing the file would have now, before a long computation of its content.
llvm::Error checkWholeFile(llvm::StringRef path);

} // namespace specmv
