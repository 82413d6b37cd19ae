// One file of a cache: its form, reading it within bounds, and publishing it atomically.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace specmv {

// Part of every key and every entry: raise it when the form of an entry or the meaning of a key
// changes, and everything older is a miss.
constexpr int kCacheVersion = 1;

// No larger entry is written, and no larger file read: it bounds the time and memory that a foreign
// file can cost. Far above what is ours: cubins and sources are of some ten to hundred kilobytes.
constexpr size_t kMaxEntryBytes = size_t{64} << 20;

// The folder that entries of a kind are kept in, and how many sections they have. The first section
// is the key's text.
struct EntryKind {
  const char *folder;
  size_t sections;
};
constexpr EntryKind kObjectEntry{"objects", 5}; // key, compiler, log, source, cubin
constexpr EntryKind kWisdomEntry{"wisdom", 2};  // key, text

// An entry as bytes: "specmv FOLDER VERSION LENGTH...\n" with the length of each section, the
// sections one after another, and the BLAKE3 digest (32 bytes) of all that precedes it.
std::string packEntry(const EntryKind &kind, llvm::ArrayRef<llvm::StringRef> sections);

// The sections of an entry, which point into `bytes`; nullopt whatever is wrong with it.
std::optional<std::vector<llvm::StringRef>> unpackEntry(const EntryKind &kind,
                                                        llvm::StringRef bytes);

// All of a regular file of at most kMaxEntryBytes; nullopt for everything else.
std::optional<std::vector<char>> readEntryFile(const std::string &path);

// Makes `path` a file of these bytes: readers see what was there before or all of it, and nothing
// is left behind on failure. Any number of processes may publish the same path, the last one wins.
// What a process leaves behind that dies in between: models/base/fresh_file.h.
llvm::Error publishFile(const std::string &path, llvm::StringRef bytes);

} // namespace specmv
