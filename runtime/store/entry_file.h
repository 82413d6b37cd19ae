// Reads files with limits, and handles one file of the cache: its form, and whether it is intact.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ErrorOr.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace specmv {

// --- Read file -----------------------------------------------------------------------------------

// Reads a regular file at any offset, from any number of threads.

// Owner and mode of a file or folder, which say who may change it.
struct Access {
  uid_t owner = 0;
  mode_t mode = 0; // the bits of chmod
};

// Returns the bytes as text, which is valid while the vector exists and does not change.
inline llvm::StringRef viewOf(const std::vector<char> &bytes) {
  return {bytes.data(), bytes.size()};
}

class ReadFile {
public:
  // Fails unless it is a regular file; does not wait for the writer of a pipe.
  static llvm::ErrorOr<ReadFile> open(const std::string &path);
  // Opens the file of that name in the folder of a descriptor. Fails for a symbolic link too.
  static llvm::ErrorOr<ReadFile> openIn(int folder, const std::string &name);
  ReadFile(ReadFile &&other) noexcept
      : fd_(std::exchange(other.fd_, -1)), size_(other.size_), identity_(other.identity_),
        access_(other.access_) {}
  ReadFile &operator=(ReadFile &&) = delete;
  ~ReadFile();

  uint64_t size() const { return size_; } // when it was opened
  // Returns this many bytes from an offset; nullopt if the file does not have them (any more).
  std::optional<std::vector<char>> read(uint64_t offset, uint64_t count) const;

  // Sets the file's time to show that it was used, unless it is nearer to now than `within`.
  void tellUse(std::chrono::seconds within) const;

  // Distinguishes two files, and a file from itself after it was rewritten.
  struct Identity {
    uint64_t device = 0, inode = 0, size = 0;
    int64_t seconds = 0, nanoseconds = 0; // of the last change
    bool operator==(const Identity &) const = default;
  };
  const Identity &identity() const { return identity_; }
  const Access &access() const { return access_; } // when it was opened

private:
  explicit ReadFile(int fd) : fd_(fd) {}
  static llvm::ErrorOr<ReadFile> opened(int fd);

  int fd_;
  uint64_t size_ = 0;
  Identity identity_;
  Access access_;
};

// --- Entry file ----------------------------------------------------------------------------------

// Handles one file of the cache: its format, reading it with a size limit, and publishing it
// atomically.

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
// last one wins. models/base/files.h says what remains if the process dies while publishing.
llvm::Error publishFile(const Folder &folder, const std::string &name, llvm::StringRef bytes);

// --- Inspect -------------------------------------------------------------------------------------

// Checks if an entry is intact, in a file or in a pack.

struct Inspected {
  enum Health : uint8_t { whole, ofOtherVersion, damaged };
  Health health = damaged;
  const EntryKind *kind = nullptr; // null if it is too damaged to know
  Entry entry = {};                // set if it is intact
};

// Inspects the entry that should have this id, which is half of the digest in an intact entry.
Inspected inspect(llvm::StringRef id, std::vector<char> bytes);

// Returns true if a file whose first kTellingBytes are these is an entry of the kind, of any
// version, even if damaged.
constexpr size_t kTellingBytes = 64;
bool beginsAsEntry(const EntryKind &kind, llvm::StringRef bytes);

} // namespace specmv
