// Handles one file of the cache: its format, reading it with a size limit, and publishing it
// atomically.
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
// key changes; all older entries then become misses.
constexpr int kCacheVersion = 3;

// The largest entry to write and the largest file to read. It limits the time and memory that a
// foreign file can cost. Our entries are far smaller: cubins have ten to a hundred kilobytes.
constexpr size_t kMaxEntryBytes = size_t{64} << 20;

// The folder for entries of a kind, and their number of sections. The first section is the digest
// of the key's text, which itself contains the emitted source. (inline: a kind is one object,
// compared by its address.)
struct EntryKind {
  const char *folder;
  size_t sections;
};
inline constexpr EntryKind kObjectEntry{"objects", 6}; // digest, arch, name, compiler, log, cubin
inline constexpr EntryKind kWisdomEntry{"wisdom", 2};  // digest, text

constexpr size_t kDigestBytes = 32;
// Returns the BLAKE3 digest of a text, kDigestBytes long.
std::string blake3Of(llvm::StringRef text);

// Returns true if a text can be a CacheKey::id, which names an entry's file, or another digest of
// that length.
bool isId(llvm::StringRef text);

// Returns an entry as bytes: "specmv FOLDER VERSION LENGTH...\n" with the length of each section,
// the sections one after another, and the BLAKE3 digest (32 bytes) of everything before it.
std::string packEntry(const EntryKind &kind, llvm::ArrayRef<llvm::StringRef> sections);

// Returns the sections of an entry, which point into `bytes`; nullopt if anything is wrong with it.
std::optional<std::vector<llvm::StringRef>> unpackEntry(const EntryKind &kind,
                                                        llvm::StringRef bytes);

// An intact entry; its sections point into `bytes`, whose elements stay in place on a move.
struct Entry {
  std::vector<char> bytes;
  std::vector<llvm::StringRef> sections;
};
// nullopt if anything is wrong with the bytes.
std::optional<Entry> entryOf(const EntryKind &kind, std::vector<char> bytes);

// Returns the contents of a regular file of at most kMaxEntryBytes; nullopt for anything else. Does
// not check who may have written it: this is for files that the user names.
std::optional<std::vector<char>> readEntryFile(const std::string &path);
// Reads a file in a cache. Errors are those of Folder, and missing for a file that is too large.
// With isUse, marks the file as used for pruning (prune.h).
llvm::Expected<std::vector<char>> readEntryFile(const Folder &folder, const std::string &name,
                                                bool isUse = false);

// Writes these bytes as the file `name`. A reader sees either the old file or all of the new one.
// On failure nothing is left behind. Any number of processes may publish the same name at once; the
// last one wins. models/base/fresh_file.h says what remains if the process dies while publishing.
llvm::Error publishFile(const Folder &folder, const std::string &name, llvm::StringRef bytes);

} // namespace specmv
