// Writes files compressed by gzip (RFC 1952), completely or not at all.
#pragma once

#include "models/base/files.h"

namespace specmv {

// Like writeWholeFile, but compresses the output of `write`. The file contains no name and no time,
// so that the same text always gives the same bytes.
llvm::Error writeWholeGzip(llvm::StringRef path,
                           llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace specmv
