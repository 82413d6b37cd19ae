// Sorts the entries of a folder by their last use, and removes the oldest.
#include "runtime/store/prune.h"

#include "runtime/store/lead.h"
#include "runtime/store/survey.h"
#include "runtime/store/sweep.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>
#include <limits>

namespace specmv {

std::optional<uint64_t> parseBytes(llvm::StringRef text) {
  uint64_t unit = 1, count = 0;
  for (const auto &[suffix, value] :
       {std::pair<llvm::StringRef, uint64_t>{"K", 1000}, {"M", 1000'000}, {"G", 1000'000'000}})
    if (text.consume_back_insensitive(suffix)) {
      unit = value;
      break;
    }
  if (!llvm::all_of(text, llvm::isDigit) || text.getAsInteger(10, count) ||
      count > std::numeric_limits<uint64_t>::max() / unit)
    return std::nullopt;
  return count * unit;
}

bool isTimeToPrune(llvm::StringRef id, uint64_t bytes, uint64_t bound) {
  constexpr double kWalksPerBound = 32;
  uint32_t chance = 0;
  if (bound == 0 || id.take_front(8).getAsInteger(16, chance))
    return false;
  return chance / 0x1p32 < kWalksPerBound * static_cast<double>(bytes) / static_cast<double>(bound);
}

// Removes the entry. Returns nullopt if it was used or replaced since it was listed, or cannot be
// removed. A file that is no entry stays, and no longer counts.
static std::optional<Removal> removeUnused(const std::string &root, const EntryAt &entry) {
  auto folder = folderOfEntry(root, *entry.kind, entry.id);
  if (!folder) {
    llvm::consumeError(folder.takeError());
    return std::nullopt;
  }
  const auto now = folder->look(entry.id);
  if (now && now->changed != entry.file.changed)
    return std::nullopt;
  auto done = removeEntry(*folder, entry);
  if (done)
    return *done;
  llvm::consumeError(done.takeError());
  return std::nullopt;
}

static llvm::Expected<Leadership> lockOf(const std::string &root, std::chrono::milliseconds wait) {
  auto top = Folder::open(root);
  if (!top)
    return top.takeError();
  auto locks = top->made("locks");
  if (!locks)
    return locks.takeError();
  Leadership lock = Leadership::take("prune", wait, locks->descriptor());
  if (lock.isHeld())
    return lock;
  if (lock.isElsewhere())
    return fail(Status::missing, "another process is pruning {0}: it has locked {1}/prune", root,
                locks->path());
  return fail(Status::missing, "{0} is not pruned: cannot lock {1}/prune: {2}", root, locks->path(),
              std::strerror(lock.error()));
}

llvm::Expected<Pruned> prune(const std::string &root, uint64_t most,
                             std::chrono::milliseconds wait) {
  auto lock = lockOf(root, wait);
  if (!lock)
    return lock.takeError();
  if (llvm::Error error =
          forEachFolder(root, [](const EntryKind &, const Folder &folder) { sweep(folder); }))
    return error;
  auto entries = entriesIn(root);
  if (!entries)
    return entries.takeError();
  Pruned out;
  for (const EntryAt &entry : *entries)
    out.bytes += entry.file.bytes;
  out.entries = entries->size();
  const auto now = std::chrono::system_clock::now();
  llvm::stable_sort(*entries, [now](const EntryAt &a, const EntryAt &b) {
    return a.file.ageAt(now) > b.file.ageAt(now);
  });
  for (const EntryAt &entry : *entries) {
    if (out.bytes <= most || entry.file.ageAt(now) < kInUse)
      break;
    const auto done = removeUnused(root, entry);
    if (!done)
      continue;
    out.bytes -= entry.file.bytes;
    --out.entries;
    out.removed += *done == Removal::removed;
  }
  out.isTooLarge = out.bytes > most;
  return out;
}

} // namespace specmv
