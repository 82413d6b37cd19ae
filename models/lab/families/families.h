// Generated matrices: the table of families. A family is a function from options, including a seed,
// to a matrix. The benchmark suite and the tests name matrices by a SPEC, for example
// `band:k=17,half=2000,rows=100000`.
#pragma once

#include "models/csr.h"
#include "models/lab/families/spec.h"

namespace specmv {

struct Family {
  llvm::StringLiteral name;
  llvm::StringLiteral description;
  llvm::ArrayRef<SpecKey> keys;
  // Fails with badCall if no matrix can satisfy all of these options.
  llvm::Expected<CsrMatrix> (*generate)(const SpecOptions &options);
  // Set for families that no fit of a model may use, so that they show how models judge matrices of
  // a kind that they have never seen.
  bool unseen = false;
};

llvm::ArrayRef<Family> families();

// Returns true if the name is that of a family that no fit may use.
bool isUnseen(llvm::StringRef name);

// Generates the matrix of a SPEC, or of `shuffled:SPEC`: the same with its rows and columns
// numbered at random. Its name is the text as given; that of a twin is always `twin:NAME`. Its
// entries depend only on the text.
//
// Fails with badCall if the SPEC is wrong or asks for more than 2^31-1 entries, and with missing if
// memory runs out.
llvm::Expected<CsrMatrix> generateFamily(llvm::StringRef spec);

} // namespace specmv
