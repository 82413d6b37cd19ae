// Stores compiled objects and wisdom on disk, each under a key that contains everything it depends
// on.
#pragma once

#include "models/base/error.h"
#include "runtime/store/key.h"
#include "runtime/store/lead.h"
#include "runtime/store/prune.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace specmv {

struct Entry;
class Folder;
class PackFile;

struct CachedObject {
  std::vector<char> cubin;
  std::string name;     // for people: a format or "setup"
  std::string compiler; // version and build of the compiler
  std::string log;
  std::string arch = {}; // for messages: the target architecture
  // The place where it was found, for messages: "the pack /p/standard.pack", "the cache
  // /var/kernels".
  std::string place = {};
};

enum class CacheUse : uint8_t {
  all,
  packsOnly, // neither reads nor writes the user's own directory, so that results do not
             // depend on earlier runs
};

// Replaces the places that the environment names.
struct CachePlaces {
  // The user's own directory instead of SPECMV_CACHE_DIR and its defaults; "" as there: none.
  std::optional<std::string> own = {};
  // Packs and read-only directories, separated by colons, instead of SPECMV_CACHE_PATH.
  std::optional<std::string> listed = {};
};

// Returns the user's own directory as Cache::open() uses it; "" if there is none.
std::string ownDirectory(const CachePlaces &places);
// Returns true if the caller, or an empty SPECMV_CACHE_DIR, asks for none.
bool isWithoutCache(const CachePlaces &places = {});

// Finds entries in packs (packs.h) and in directories: DIRECTORY/objects/ab/abcdef... and
// DIRECTORY/wisdom/ab/...
// Any number of processes and of Cache objects may share a directory. No lock is needed for entries
// to be complete: they are published by a rename. Only one thread at a time may use a Cache. A bad
// entry is a miss; a bad pack or directory costs one warning per Cache, and speed. Places that
// other users can write to are neither read nor written (folder.h).
class Cache {
public:
  // Searches in this order: packs added by addPack(), packs and read-only directories of
  // SPECMV_CACHE_PATH (separated by colons), the standard pack, and the user's own directory:
  // SPECMV_CACHE_DIR, otherwise $XDG_CACHE_HOME/specmv, otherwise $HOME/.cache/specmv. All packs
  // come before all directories.
  // The latter two are created with access for the user only, as the XDG Base Directory
  // Specification demands. A directory from SPECMV_CACHE_DIR is created with the umask's access,
  // since it may be filled for others. SPECMV_CACHE_SIZE limits the user's own directory (prune.h).
  static Cache open(CacheUse use = CacheUse::all, const CachePlaces &places = {});
  // Searches packs first, then `readOnly` directories, in order; these are never written to. If
  // `writable` is empty, nothing is stored.
  Cache(std::vector<std::string> readOnly, std::string writable,
        std::vector<std::shared_ptr<const PackFile>> packs = {});

  // Returns true if store() can keep anything. Makes the directory; one warning says why it cannot.
  bool mayStore();
  std::optional<CachedObject> find(const CacheKey &key) const;
  void store(const CacheKey &key, const CachedObject &object);

  // Call it when an object was not found: take the lock, look for the object again, make and store
  // it if necessary, then release the lock. Thus only one of many processes makes it.
  // DIRECTORY/locks has one lock file for each of 256 parts of the ids, so that their number is
  // limited; two objects that share one only cost some waiting.
  Leadership lead(const CacheKey &key) const;

  // Returns every text under the key, in the order of searching: unlike objects, they may differ.
  std::vector<std::string> findWisdom(const CacheKey &key) const;
  void storeWisdom(const CacheKey &key, const std::string &text);

  // Puts an entry, as packEntry() made it, into the user's own directory. Status::missing if there
  // is none or it cannot be written, badInput if it is not trusted.
  llvm::Error publishEntry(const EntryKind &kind, const std::string &id, const std::string &bytes);

  const std::vector<std::shared_ptr<const PackFile>> &packs() const { return packs_; }
  // Returns the directories in the order of searching, the user's own last.
  const std::vector<std::string> &directories() const { return directories_; }
  // Returns the user's own directory, or "", and the limit of its bytes; 0: none.
  const std::string &path() const { return writable_; }
  uint64_t bound() const { return bound_; }
  // Describes packs and folders that are named but cannot be read; warnings say the same.
  const std::vector<std::string> &unread() const { return unread_; }
  // Returns a text that is equal for two caches if they search the same places.
  std::string places() const;
  // Returns warnings for the user; each is returned once.
  std::vector<std::string> takeWarnings();
  // Returns warnings of the directories alone; packs are shared, and keep theirs for the next
  // caller.
  std::vector<std::string> takeOwnWarnings() { return std::exchange(warnings_, {}); }
  void forgetWarnings() { warnings_.clear(); }

private:
  void openPack(const std::string &path, const std::string &origin);
  void openListed(const CachePlaces &places);
  void addUnread(std::string sentence);
  void readBound();
  // Calls isLast for each entry of that key, with its place (CachedObject::place), in the order of
  // searching, until it returns true.
  void visit(const EntryKind &kind, const CacheKey &key,
             llvm::function_ref<bool(Entry &, const llvm::Twine &place)> isLast) const;
  void publish(const EntryKind &kind, const CacheKey &key, const std::string &bytes);
  void warnOfStore(llvm::Error error);
  llvm::Error prunedNow() const;
  // Returns the entry of that key in one directory.
  std::optional<Entry> entryIn(const std::string &directory, const EntryKind &kind,
                               const CacheKey &key) const;
  // Opens a folder of the writable directory; makes both if necessary.
  llvm::Expected<Folder> folderToWrite(const std::string &name) const;
  // Returns true if the error was that a place is not trusted. Warns about each such place once.
  bool noteDistrust(const std::string &directory, Status status, const std::string &sentence) const;

  std::vector<std::shared_ptr<const PackFile>> packs_;
  std::vector<std::string> directories_; // in the order of searching, the writable one last
  std::string writable_;
  mode_t modeIfCreated_ = 0755; // of the writable directory, as far as the umask allows
  uint64_t bound_ = kDefaultBound;
  std::vector<std::string> unread_;
  mutable std::vector<std::string> warnings_;
  mutable std::set<std::string> distrusted_; // directories that warnings_ has mentioned
  bool warnedOfStore_ = false;
};

} // namespace specmv
