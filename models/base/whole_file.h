// Writes files that are complete or do not exist.
#pragma once

#include "models/base/error.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <sys/types.h>

namespace specmv {

// Writes what `write` puts on the stream to a new file (models/base/fresh_file.h), which then
// replaces `path`, or the file behind it if that is a link; a link of another user in a sticky
// folder that all may write to is refused. After an error nothing has changed. Directly written to
// are a character device, a pipe, and an open file of this process (/dev/stdout, /dev/fd/3), that
// where it stands; any other `path` that exists and is not a regular file is refused. Errors are
// `path: error: sentence`, with badInput. No more of a mode than `most` is given to the file.
llvm::Error writeWholeFile(llvm::StringRef path,
                           llvm::function_ref<void(llvm::raw_ostream &)> write, mode_t most = 0666);

// The error that writing the file would have now, for results that take long to make.
llvm::Error checkWholeFile(llvm::StringRef path);

} // namespace specmv
