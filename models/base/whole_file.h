// Writes files that are there whole or not at all.
#pragma once

#include "models/base/error.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace specmv {

// Writes what `write` puts on the stream to a new file (models/base/fresh_file.h) that then takes
// the place of `path`. After an error nothing has changed. A path that names something other than a
// regular file is refused, except a character device or pipe (/dev/stdout), which is written to as
// it is. Errors are `path: error: sentence`, of badInput.
llvm::Error writeWholeFile(llvm::StringRef path,
                           llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace specmv
