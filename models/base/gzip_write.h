// Writes files packed by gzip (RFC 1952), whole or not at all.
#pragma once

#include "models/base/whole_file.h"

namespace specmv {

// As writeWholeFile, with what `write` puts on the stream packed. No name and no time go into the
// file: the same text gives the same bytes.
llvm::Error writeWholeGzip(llvm::StringRef path,
                           llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace specmv
