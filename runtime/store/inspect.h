// Looks whether an entry is whole, wherever it lies.
#pragma once

#include "runtime/store/entry_file.h"

namespace specmv {

struct Inspected {
  enum Health : uint8_t { whole, ofOtherVersion, damaged };
  Health health = damaged;
  const EntryKind *kind = nullptr; // null if it is damaged beyond that
  Entry entry = {};                // if it is whole
};

// The entry that should have this id. A whole one has the digest of which the id is a half.
Inspected inspect(llvm::StringRef id, std::vector<char> bytes);

// Tells by the first kTellingBytes of a file if it is an entry of the kind, of whichever version,
// perhaps a damaged one.
constexpr size_t kTellingBytes = 64;
bool beginsAsEntry(const EntryKind &kind, llvm::StringRef bytes);

} // namespace specmv
