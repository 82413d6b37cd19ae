// Limits the size of the user's own cache folder: removes the least recently used entries.
#pragma once

#include "models/base/error.h"

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace specmv {

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
