// What lies in a folder of a cache: the files that are entries by their place and name.
#pragma once

#include "runtime/store/entry_file.h"
#include "runtime/store/folder.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <string>
#include <vector>

namespace specmv {

// The folder in which a cache has an entry: ROOT/objects/ab of the ids that begin with ab. 256 of
// each kind, so that none has very many files.
llvm::Expected<Folder> folderOfEntry(const std::string &root, const EntryKind &kind,
                                     llvm::StringRef id);
// The name of the last of them.
std::string partOf(llvm::StringRef id);

// An entry's file, which was not looked into.
struct EntryAt {
  const EntryKind *kind;
  std::string id;
  Folder::Listed file;
};

// All entries, by kind and id; none if there is no such folder. What is in a folder that is not
// trusted is an error, as of Folder.
llvm::Expected<std::vector<EntryAt>> entriesIn(const std::string &root);

// The paths of folders that stand in the place of entries, so that none can be kept there. Errors
// as of entriesIn().
llvm::Expected<std::vector<std::string>> foldersInPlaceOfEntries(const std::string &root);

// The end of an entry that was to be removed: another process may have been first, and a file whose
// name happens to fit may be anything of the user's.
enum class Removal : uint8_t { removed, gone, isNone };
// Looks into the file first. Status::missing if it cannot be removed.
llvm::Expected<Removal> removeEntry(const Folder &folder, const EntryAt &entry);

// Calls f for each folder of entries that there is.
llvm::Error forEachFolder(const std::string &root,
                          llvm::function_ref<void(const EntryKind &, const Folder &)> f);

} // namespace specmv
