// Generated matrices: the table of families, each a seeded function from options to a matrix. The
// benchmark suite and the tests name them by SPEC, for example `band:k=17,half=2000,rows=100000`.
#pragma once

#include "models/csr.h"
#include "models/families/spec.h"

namespace specmv {

struct Family {
  llvm::StringLiteral name;
  llvm::StringLiteral description;
  llvm::ArrayRef<SpecKey> keys;
  // Fails with badCall where the options together make no matrix.
  llvm::Expected<CsrMatrix> (*generate)(const SpecOptions &options);
};

llvm::ArrayRef<Family> families();

// The matrix of a SPEC; its name is the text as given, of a twin always `twin:NAME`. The numbers
// depend on nothing but the text.
// Fails with badCall where the SPEC is wrong or asks for more than 2^31-1 entries, with missing
// where memory runs out.
llvm::Expected<CsrMatrix> generateFamily(llvm::StringRef spec);

} // namespace specmv
