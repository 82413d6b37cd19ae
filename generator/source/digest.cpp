// The digest of the specializer's own sources: a unit of its own, since the build defines it.
#include "generator/source/specialized.h"

namespace specmv {

llvm::StringRef specializerDigest() { return SPECMV_SPECIALIZER_DIGEST; }

} // namespace specmv
