// Packs: many cache entries in one prebuilt file, each of which a process opens once.
#pragma once

#include "runtime/store/cache.h"
#include "runtime/store/entry_file.h"

#include <array>
#include <atomic>
#include <memory>

namespace specmv {

// --- Pack file -----------------------------------------------------------------------------------

// Defines a pack: many cache entries in one prebuilt file that can be moved and copied.
//
//   specmv pack 3 MANIFEST ENTRIES     (the manifest's bytes and the number of entries; a line)
//   the manifest                       (text for people: what made the pack, and what is in it)
//   id LENGTH                          (of each entry, ascending by id: 16 bytes and 8, the latter
//                                       little-endian)
//   digest                             (32 bytes, BLAKE3 of all above)
//   the entries                        (one after another, in this order, up to the file's end)
//
// An entry is stored as in a file of its own (entry_file.h), including its digest. The start of
// each entry follows from the lengths, so that entries cannot overlap.

// Increase it when the format of a pack changes, and with kCacheVersion, which is part of entries
// and their keys: users of a pack whose entries cannot be found must be told.
constexpr int kPackVersion = 3;

struct PackEntry {
  std::string id;    // CacheKey::id
  std::string bytes; // packEntry()
};
// Make cache entries, with the same bytes in folders and in packs.
PackEntry packedObject(const CacheKey &key, const CachedObject &object);
PackEntry packedWisdom(const CacheKey &key, const std::string &text);
CachedObject objectOf(const Entry &entry); // of kObjectEntry
// Uses the memory of the entry, since touching new memory takes longer than loading a kernel.
CachedObject objectFrom(Entry &&entry);

// The facts about a kernel in the manifest.
struct PackedKernel {
  std::string id, arch, text, compiler;
};
std::string manifestOf(const std::vector<PackedKernel> &kernels);

// Returns the bytes of a pack, which do not depend on the order of the entries. The first of
// several entries with one id is kept. Status::badInput if there are more entries than a reader
// accepts.
llvm::Expected<std::string> packBytes(llvm::StringRef manifest, std::vector<PackEntry> entries);

// An open pack. Only its index is in memory. Any number of threads may use it.
class PackFile {
public:
  // Status::missing if the file cannot be opened, badInput with the reason if it is not trusted
  // (folder.h) or not a pack. Time and memory are at most proportional to the index, whatever the
  // file contains.
  static llvm::Expected<std::shared_ptr<const PackFile>> open(const std::string &path);

  bool has(const std::string &id) const { return findIndex(id) != nullptr; }
  // Returns the entry of that key; nullopt if there is none or anything is wrong with it.
  std::optional<Entry> find(const EntryKind &kind, const CacheKey &key) const;

  // Returns the entry of that number, in the order of ids; nullopt if it cannot be read.
  std::optional<PackEntry> entryAt(size_t number) const;

  const std::string &path() const { return path_; }
  std::string manifest() const; // "" if it cannot be read
  size_t entries() const { return index_.size(); }
  const ReadFile::Identity &identity() const { return file_.identity(); }
  // Returns a warning about a flaw that find() met, once; otherwise "".
  std::string takeWarning() const;

private:
  using Id = std::array<char, 16>; // the bytes that CacheKey::id has as digits
  struct Indexed {
    Id id;
    uint64_t offset, length;
  };
  PackFile(std::string path, ReadFile file) : path_(std::move(path)), file_(std::move(file)) {}
  llvm::Error readIndex();
  // `at` is the offset of the first entry.
  llvm::Error parseIndex(llvm::StringRef index, uint64_t at);
  llvm::Error notPack(const std::string &why) const;
  const Indexed *findIndex(const std::string &id) const;

  enum Flaw : uint8_t { kNone, kDamaged, kOfOtherVersion, kTold };
  std::string path_;
  ReadFile file_;
  uint64_t manifestAt_ = 0, manifestBytes_ = 0;
  std::vector<Indexed> index_;
  mutable std::atomic<Flaw> flaw_{kNone};
};

// --- Packs ---------------------------------------------------------------------------------------

// Keeps the packs of this process: each file is opened once and stays open.

using Packs = std::vector<std::shared_ptr<const PackFile>>;

// Returns the pack at an absolute path. A file that was replaced since it was opened is opened
// again. Fails as PackFile::open().
llvm::Expected<std::shared_ptr<const PackFile>> packAt(const std::string &path);

// Makes every cache that is opened later search this pack, before all others.
llvm::Error addPack(const std::string &path);
Packs addedPacks(); // in the order in which they were added

// Returns the pack that belongs to this library: the file that SPECMV_STANDARD_PACK names (none if
// that is set but empty), otherwise standard.pack beside the library, otherwise the one in
// share/specmv/ of its installation. "" if there is none.
std::string standardPackPath();

} // namespace specmv
