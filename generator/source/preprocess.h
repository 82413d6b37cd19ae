// The preprocessor for the few directives of templates/: it decides conditions on the architecture
// and expands macros.
#pragma once

#include "generator/source/tokens.h"

#include <map>

namespace specmv::source {

struct Macro {
  std::vector<std::string> parameters;
  Tokens body;
};
using Macros = std::map<std::string, Macro, std::less<>>;

// The tokens as a compiler sees them whose __CUDA_ARCH__ is `arch`, or has none if that is 0,
// without directives but for `#pragma unroll`. Macros of earlier tokens are in `macros`.
Tokens preprocessed(Tokens tokens, int arch, Macros &macros);

// The __CUDA_ARCH__ of an architecture such as sm_90 or sm_103a; 0 if it is none, and then
// code is for the host executor of tests/simt.
int cudaArchOf(llvm::StringRef architecture);

} // namespace specmv::source
