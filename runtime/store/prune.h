// Lists the folders of a cache, limits their size, and removes what killed processes left.
#pragma once

#include "models/base/error.h"
#include "runtime/store/entry_file.h"
#include "runtime/store/folder.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace specmv {

// --- Survey --------------------------------------------------------------------------------------

// Lists a folder of a cache: the files that are entries by their place and name.

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

// --- Sweep ---------------------------------------------------------------------------------------

// Removes files that killed processes left in a cache while publishing.

// Returns true for names of entries that are, or were, being published.
bool isTemporaryName(llvm::StringRef name);

// The age of a stale file. A process fills its file in milliseconds, on a slow file system in
// seconds, but clocks of file servers may differ by minutes.
constexpr std::chrono::hours kStale{1};

// Removes stale temporary files of a folder of entries. Ignores failures.
void sweep(const Folder &folder);

// --- Prune ---------------------------------------------------------------------------------------

// Limits the size of the user's own cache folder: removes the least recently used entries.

// About 60,000 kernels with their choices. 0: no limit.
constexpr uint64_t kDefaultBound = 1'000'000'000;

// Parses "500000", "64K", "20M", "1G", in powers of 1000; nullopt for anything else.
std::optional<uint64_t> parseBytes(llvm::StringRef text);

// A hit updates the time of the file, but only if it is older than this, so that hits stay cheap.
constexpr std::chrono::hours kUseIsTold{1};
// A use renews the time of an entry only after kUseIsTold. So what was used within the last 5
// minutes has a time younger than this.
constexpr std::chrono::minutes kInUse = kUseIsTold + std::chrono::minutes(5);

struct Pruned {
  uint64_t bytes = 0, entries = 0; // entries left and their bytes
  uint64_t removed = 0;
  bool isTooLarge = false; // the rest is in use
};

// Removes entries until at most this many bytes are left. Keeps temporary files that are not stale,
// lock files, entries in use and files that are not specmv's. Only one process prunes at a time:
// Status::missing if another one does or locking is impossible. Errors are those of Folder.
llvm::Expected<Pruned> prune(const std::string &root, uint64_t most,
                             std::chrono::milliseconds wait);

// Returns true if the process that publishes an entry of this size and id should prune. Pruning
// reads every entry, so it runs only once for each 1/32 of the limit that is published, on average;
// the cost for one entry is then 32 reads. The id, which is a digest, is the random number, so no
// process has to count anything.
bool isTimeToPrune(llvm::StringRef id, uint64_t bytes, uint64_t bound);
// Returns the bytes that pruning leaves, so that the limit holds until about the next pruning.
inline uint64_t bytesToLeave(uint64_t bound) { return bound - bound / 16; }

} // namespace specmv
