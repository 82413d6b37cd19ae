// Lists a folder of a cache: the files that are entries by their place and name.
#pragma once

#include "runtime/store/entry_file.h"
#include "runtime/store/folder.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <string>
#include <vector>

namespace specmv {

// Opens the folder of a cache for an entry: ROOT/objects/ab for ids that begin with ab. There are
// 256 of each kind, so that none has very many files.
llvm::Expected<Folder> folderOfEntry(const std::string &root, const EntryKind &kind,
                                     llvm::StringRef id);
// Returns the last component of that path.
std::string partOf(llvm::StringRef id);

// An entry's file, not read yet.
struct EntryAt {
  const EntryKind *kind;
  std::string id;
  Folder::Listed file;
};

// Lists all entries, by kind and id; none if there is no such folder. A folder that is not trusted
// is an error, as in Folder.
llvm::Expected<std::vector<EntryAt>> entriesIn(const std::string &root);

// Lists files that stand where the folders of entries belong, so that none can be kept there.
std::vector<std::string> filesInPlaceOfFolders(const std::string &root);
// Lists folders that stand where entries belong, so that none can be kept there. Errors are those
// of entriesIn().
llvm::Expected<std::vector<std::string>> foldersInPlaceOfEntries(const std::string &root);

// The result of removing an entry: another process may have been first, and a file whose name
// happens to fit may be the user's and no entry.
enum class Removal : uint8_t { removed, gone, isNone };
// Checks that the file is an entry first. Status::missing if it cannot be removed.
llvm::Expected<Removal> removeEntry(const Folder &folder, const EntryAt &entry);

// Calls f for each existing folder of entries.
llvm::Error forEachFolder(const std::string &root,
                          llvm::function_ref<void(const EntryKind &, const Folder &)> f);

} // namespace specmv
