// Writes files that are complete or do not exist.
#pragma once

#include "models/base/error.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <sys/types.h>

namespace specmv {

// Writes what `write` puts on the stream to a new file (models/base/fresh_file.h), which then
// replaces `path`. After an error nothing has changed. A character device or a pipe (/dev/stdout)
// is written to directly; any other `path` that exists and is not a regular file is refused. Errors
// are `path: error: sentence`, with badInput. No more of a mode than `most` is given to the file.
llvm::Error writeWholeFile(llvm::StringRef path,
                           llvm::function_ref<void(llvm::raw_ostream &)> write, mode_t most = 0666);

} // namespace specmv
