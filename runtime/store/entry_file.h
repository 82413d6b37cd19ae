// One file of the cache: its format, reading it with a limit of size, and publishing it atomically.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace specmv {

class Folder;

// Part of every key and every entry. Increase it when the format of an entry or the meaning of a
// key changes; all older entries are then misses.
constexpr int kCacheVersion = 3;

// The largest entry that is written and the largest file that is read. It limits the time and
// memory that a file of another origin can cost. Our entries are far smaller: cubins have ten to a
// hundred kilobytes.
constexpr size_t kMaxEntryBytes = size_t{64} << 20;

// The folder that entries of a kind are kept in, and how many sections they have. The first section
// is the digest of the key's text, which itself repeats the emitted source. (inline: a kind is one
// object, whose address tells it from another.)
struct EntryKind {
  const char *folder;
  size_t sections;
};
inline constexpr EntryKind kObjectEntry{"objects", 6}; // digest, arch, name, compiler, log, cubin
inline constexpr EntryKind kWisdomEntry{"wisdom", 2};  // digest, text

constexpr size_t kDigestBytes = 32;
// The BLAKE3 digest of a text, kDigestBytes long.
std::string blake3Of(llvm::StringRef text);

// Whether a text can be CacheKey::id, the name of an entry's file, or another digest of that
// length.
bool isId(llvm::StringRef text);

// An entry as bytes: "specmv FOLDER VERSION LENGTH...\n" with the length of each section, the
// sections one after another, and the BLAKE3 digest (32 bytes) of all that precedes it.
std::string packEntry(const EntryKind &kind, llvm::ArrayRef<llvm::StringRef> sections);

// The sections of an entry, which point into `bytes`; nullopt if anything is wrong with it.
std::optional<std::vector<llvm::StringRef>> unpackEntry(const EntryKind &kind,
                                                        llvm::StringRef bytes);

// An intact entry; its sections point into `bytes`, whose elements stay in place on a move.
struct Entry {
  std::vector<char> bytes;
  std::vector<llvm::StringRef> sections;
};
// nullopt if anything is wrong with the bytes.
std::optional<Entry> entryOf(const EntryKind &kind, std::vector<char> bytes);

// The contents of a regular file of at most kMaxEntryBytes; nullopt for anything else. Whoever may
// have written it: this is for files that the user names.
std::optional<std::vector<char>> readEntryFile(const std::string &path);
// The same of a file in a cache. Errors are those of Folder, with missing for a file too large. If
// it is in use, that is told to whoever prunes (prune.h).
llvm::Expected<std::vector<char>> readEntryFile(const Folder &folder, const std::string &name,
                                                bool isUse = false);

// Makes `name` a file of these bytes. A reader sees either the old file or all of the new one. On
// failure nothing is left behind. Any number of processes may publish the same name at once; the
// last one wins. models/base/fresh_file.h tells what remains if the process dies while publishing.
llvm::Error publishFile(const Folder &folder, const std::string &name, llvm::StringRef bytes);

} // namespace specmv
