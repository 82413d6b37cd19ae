// The signature of a matrix: its profile as text. It contains everything that plans() may read and
// nothing else, so that plans and kernels can be made from it without the matrix.
//
//   specmv-signature 4
//   rows 2
//   lengths 1 1 3 1        (of structures and lists: all numbers, one after another)
//   ...                    (a line for each field, in the order of SparsityProfile)
//   checksum 123           (of the text before this line)
#pragma once

#include "models/profile/profile.h"
#include "models/profile/value_facts.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace specmv {

// Writes the same text for the same profile on every machine.
std::string serializeProfile(const SparsityProfile &p);

// Reads the profile back from its text. Refuses any text that serializeProfile() cannot have
// written for a matrix, with badInput and `origin:line: sentence`; so a change of any byte is
// detected.
llvm::Expected<SparsityProfile> parseProfile(llvm::StringRef text, llvm::StringRef origin);

// The first 16 bytes of the BLAKE3 digest of serializeProfile(), as 32 hexadecimal digits. It
// depends only on the pattern, not on values or on the order of a row's entries.
std::string signatureId(const SparsityProfile &p);

// Digests only the header and the lines of the sizes and the fingerprint, which need no profile.
// The digest identifies the pattern in the wisdom.
std::string patternId(const MatrixSize &size, const Fingerprint &fingerprint);

// The digest of ValueFacts::text(), as 32 hexadecimal digits. It identifies the facts about values,
// for plans that depend on them.
std::string valuesId(const ValueFacts &facts);

} // namespace specmv
