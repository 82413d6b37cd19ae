// Recognizes the kind of an entry by its first words, and compares digests.
#include "runtime/store/inspect.h"

#include "runtime/store/key.h"
#include "runtime/store/read_file.h"

namespace specmv {

// Returns the version in a leading "specmv FOLDER VERSION "; -1 if there is none.
static int versionIn(const EntryKind &kind, llvm::StringRef bytes) {
  int version = -1;
  if (!bytes.consume_front("specmv ") || !bytes.consume_front(kind.folder) ||
      !bytes.consume_front(" ") || bytes.consumeInteger(10, version) || !bytes.starts_with(" "))
    return -1;
  return version;
}

bool beginsAsEntry(const EntryKind &kind, llvm::StringRef bytes) {
  return versionIn(kind, bytes) >= 0;
}

Inspected inspect(llvm::StringRef id, std::vector<char> bytes) {
  for (const EntryKind *kind : {&kObjectEntry, &kWisdomEntry}) {
    const int version = versionIn(*kind, viewOf(bytes));
    if (version < 0)
      continue;
    if (version != kCacheVersion)
      return {Inspected::ofOtherVersion, kind};
    auto entry = entryOf(*kind, std::move(bytes));
    if (!entry || idOf(entry->sections.front()) != id)
      return {Inspected::damaged, kind};
    return {Inspected::whole, kind, std::move(*entry)};
  }
  return {};
}

} // namespace specmv
