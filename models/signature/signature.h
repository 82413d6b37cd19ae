// The signature of a matrix: its profile as text, of which the id names the matrix in every cache.
// It holds all that plans() may read and nothing else, so plans and kernels can be made from it
// alone.
//
//   specmv-signature 1
//   rows 2
//   lengths 1 1 3 1        (structures and lists: their numbers one after another)
//   ...                    (a line for each field, in the order of SparsityProfile)
//   checksum 123           (of the text before this line)
#pragma once

#include "models/profile/profile.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace specmv {

// The same text for the same profile, on every machine.
std::string serializeProfile(const SparsityProfile &p);

// The profile whose text this is. A text that serializeProfile does not make of the profile of some
// matrix is refused with badInput, `origin:line: sentence`; so is one with any byte changed.
llvm::Expected<SparsityProfile> parseProfile(llvm::StringRef text, llvm::StringRef origin);

// The first 16 bytes of the BLAKE3 digest of serializeProfile(), as 32 hexadecimal digits. It
// changes with the pattern, and with nothing else: not with values or the order of a row's entries.
std::string signatureId(const SparsityProfile &p);

} // namespace specmv
