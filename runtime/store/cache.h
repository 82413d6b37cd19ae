// The cache on disk: compiled objects and wisdom, each stored under a key that contains everything
// it depends on.
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
  std::string name;     // what it is for, to read: a format or "setup"
  std::string compiler; // its version and build
  std::string log;
  std::string arch = {}; // what it was compiled for, to read
  // Where it was found, to read: "the pack /p/standard.pack", "the cache /var/kernels".
  std::string place = {};
};

enum class CacheUse : uint8_t {
  all,
  packsOnly, // neither reads nor writes the user's own directory: what is found does not depend on
             // what ran before
};

// Where a cache looks in place of what the environment names.
struct CachePlaces {
  // The user's own directory in place of SPECMV_CACHE_DIR and its defaults; "": none.
  std::optional<std::string> own = {};
  // Packs and read-only directories, divided by colons, in place of SPECMV_CACHE_PATH.
  std::optional<std::string> listed = {};
};

// The user's own directory as Cache::open() takes it; "" if there is none.
std::string ownDirectory(const CachePlaces &places);

// Entries in packs (pack_file.h) and in directories: DIRECTORY/objects/ab/abcdef... and
// DIRECTORY/wisdom/ab/...
// Any number of processes and of Cache objects may share a directory. That an entry is whole needs
// no lock: the rename that publishes it is enough. One Cache serves one thread at a time. Whatever
// is wrong with an entry, it is a miss; whatever is wrong with a pack or a directory costs one
// warning of each Cache, and speed. What somebody else may have written is not read (trust.h), nor
// is anything written there.
class Cache {
public:
  // In the order of searching: the packs that addPack() added, the packs and read-only directories
  // of SPECMV_CACHE_PATH (divided by colons), the standard pack, and the user's own directory:
  // SPECMV_CACHE_DIR, else $XDG_CACHE_HOME/specmv, else $HOME/.cache/specmv. All packs come before
  // all directories.
  // The latter two are created with access for the user only, as the XDG Base Directory
  // Specification demands. A directory that SPECMV_CACHE_DIR names can be entered by whom the umask
  // allows it, since it may be filled for others. SPECMV_CACHE_SIZE bounds the user's own directory
  // (prune.h).
  static Cache open(CacheUse use = CacheUse::all, const CachePlaces &places = {});
  // Packs, then `readOnly` directories are searched first, in their order, and never written to. If
  // `writable` is empty, nothing is stored.
  Cache(std::vector<std::string> readOnly, std::string writable,
        std::vector<std::shared_ptr<const PackFile>> packs = {});

  // Whether store() can keep anything. Makes the directory; one warning says why it cannot.
  bool mayStore();
  std::optional<CachedObject> find(const CacheKey &key) const;
  void store(const CacheKey &key, const CachedObject &object);

  // For a caller that did not find an object: is to be taken, then the object looked for again, and
  // if need be made and stored, before it is released. So one of many processes makes it. There is
  // a lock file in DIRECTORY/locks for each of 256 parts of the ids, so that there are never more;
  // that two objects may share one costs some waiting.
  Leadership lead(const CacheKey &key) const;

  // Every text under the key, in the order of searching: unlike objects, they may differ.
  std::vector<std::string> findWisdom(const CacheKey &key) const;
  void storeWisdom(const CacheKey &key, const std::string &text);

  // Puts an entry, as packEntry() made it, into the user's own directory. Status::missing if there
  // is none or it cannot be written, badInput if it is not trusted.
  llvm::Error publishEntry(const EntryKind &kind, const std::string &id, const std::string &bytes);

  const std::vector<std::shared_ptr<const PackFile>> &packs() const { return packs_; }
  // In the order of searching, the user's own last.
  const std::vector<std::string> &directories() const { return directories_; }
  // The user's own directory, or "", and the bytes that it may have; 0: any.
  const std::string &path() const { return writable_; }
  uint64_t bound() const { return bound_; }
  // Sentences on packs and folders that are named and cannot be read; warnings tell the same.
  const std::vector<std::string> &unread() const { return unread_; }
  // The same text for all caches that look into the same places.
  std::string places() const;
  // Sentences for the user; each is returned once.
  std::vector<std::string> takeWarnings();
  // Returns those of the directories alone; packs are shared, and tell the next who asks.
  std::vector<std::string> takeOwnWarnings() { return std::exchange(warnings_, {}); }
  void forgetWarnings() { warnings_.clear(); }

private:
  void openPack(const std::string &path, const std::string &origin);
  void openListed(const CachePlaces &places);
  void addUnread(std::string sentence);
  void readBound();
  // Calls isLast for each entry of that key, and its place (CachedObject::place), in the order of
  // searching, until it returns true.
  void visit(const EntryKind &kind, const CacheKey &key,
             llvm::function_ref<bool(Entry &, const llvm::Twine &place)> isLast) const;
  void publish(const EntryKind &kind, const CacheKey &key, const std::string &bytes);
  void warnOfStore(llvm::Error error);
  llvm::Error prunedNow() const;
  // The entry of that key in one directory.
  std::optional<Entry> entryIn(const std::string &directory, const EntryKind &kind,
                               const CacheKey &key) const;
  // A folder of the writable directory, both of which are made if need be.
  llvm::Expected<Folder> folderToWrite(const std::string &name) const;
  // Whether the error was that a place is not trusted. Warns of each such place once.
  bool isDistrust(const std::string &directory, Status status, const std::string &sentence) const;

  std::vector<std::shared_ptr<const PackFile>> packs_;
  std::vector<std::string> directories_; // in the order of searching, the writable one last
  std::string writable_;
  mode_t modeIfCreated_ = 0755; // of the writable directory, as far as the umask allows
  uint64_t bound_ = kDefaultBound;
  std::vector<std::string> unread_;
  mutable std::vector<std::string> warnings_;
  mutable std::set<std::string> distrusted_; // directories of which warnings_ told
  bool warnedOfStore_ = false;
};

} // namespace specmv
