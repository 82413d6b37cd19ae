// Checks if an entry is intact, in a file or in a pack.
#pragma once

#include "runtime/store/entry_file.h"

namespace specmv {

struct Inspected {
  enum Health : uint8_t { whole, ofOtherVersion, damaged };
  Health health = damaged;
  const EntryKind *kind = nullptr; // null if it is too damaged to know
  Entry entry = {};                // set if it is intact
};

// Inspects the entry that should have this id, which is half of the digest in an intact entry.
Inspected inspect(llvm::StringRef id, std::vector<char> bytes);

// Returns true if a file whose first kTellingBytes are these is an entry of the kind, of any
// version, even if damaged.
constexpr size_t kTellingBytes = 64;
bool beginsAsEntry(const EntryKind &kind, llvm::StringRef bytes);

} // namespace specmv
