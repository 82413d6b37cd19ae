// Keeps the user's own folder of a cache within a size: what was not used for longest is removed.
#pragma once

#include "models/base/error.h"

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace specmv {

// Some 60,000 kernels with their choices. 0: no bound.
constexpr uint64_t kDefaultBound = 1'000'000'000;

// "500000", "64K", "20M", "1G", in powers of 1000; nullopt for anything else.
std::optional<uint64_t> parseBytes(llvm::StringRef text);

// A hit tells the time by the time of the file, which is changed so seldom that hits stay cheap.
constexpr std::chrono::hours kUseIsTold{1};
// What was used for the last time within the last minutes has a time that is younger than this.
constexpr std::chrono::minutes kInUse = kUseIsTold + std::chrono::minutes(5);

struct Pruned {
  uint64_t bytes = 0, entries = 0; // that are left
  uint64_t removed = 0;
  bool isTooLarge = false; // the rest is in use
};

// Removes entries until those that are left have at most so many bytes. Temporary files that are
// not stale, lock files, entries in use and whatever is not ours stay. One process prunes at a
// time: Status::missing if another one still does, or if there can be no lock. Errors of Folder.
llvm::Expected<Pruned> prune(const std::string &root, uint64_t most,
                             std::chrono::milliseconds wait);

// Whether whoever publishes an entry of so many bytes under this id should prune. A walk looks at
// every entry, so between two walks a 32nd of the bound is published in the mean, which makes
// the share of an entry about 32 looks. Chance comes from the id, which is a digest: nothing has to
// be counted, by no process.
bool isTimeToPrune(llvm::StringRef id, uint64_t bytes, uint64_t bound);
// The bytes that such a walk leaves, so that the bound holds until about the next one.
inline uint64_t bytesToLeave(uint64_t bound) { return bound - bound / 16; }

} // namespace specmv
