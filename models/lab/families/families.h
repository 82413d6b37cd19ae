// Generated matrices: the table of families. A family is a function from options, a seed among
// them, to a matrix. The benchmark suite and the tests name matrices by SPEC, for example
// `band:k=17,half=2000,rows=100000`.
#pragma once

#include "models/csr.h"
#include "models/lab/families/spec.h"

namespace specmv {

struct Family {
  llvm::StringLiteral name;
  llvm::StringLiteral description;
  llvm::ArrayRef<SpecKey> keys;
  // Fails with badCall if no matrix can have these options together.
  llvm::Expected<CsrMatrix> (*generate)(const SpecOptions &options);
};

llvm::ArrayRef<Family> families();

// The matrix of a SPEC. Its name is the text as given; that of a twin is always `twin:NAME`. The
// numbers depend on the text only.
// Fails with badCall if the SPEC is wrong or asks for more than 2^31-1 entries, with missing if
// memory runs out.
llvm::Expected<CsrMatrix> generateFamily(llvm::StringRef spec);

} // namespace specmv
