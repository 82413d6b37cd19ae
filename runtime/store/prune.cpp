// Walks over the folders of a cache, and removes the oldest entries and leftovers.
#include "runtime/store/prune.h"

#include "models/base/files.h"
#include "runtime/store/entry_file.h"
#include "runtime/store/lead.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace specmv {

// --- Survey --------------------------------------------------------------------------------------

// Walks over the folders of a cache.

std::string partOf(llvm::StringRef id) { return id.take_front(2).str(); }

llvm::Expected<Folder> folderOfEntry(const std::string &root, const EntryKind &kind,
                                     llvm::StringRef id) {
  auto top = Folder::open(root);
  if (!top)
    return top;
  auto ofKind = top->below(kind.folder);
  return ofKind ? ofKind->below(partOf(id)) : std::move(ofKind);
}

static bool isPart(llvm::StringRef name) {
  return name.size() == 2 && isId((name + std::string(30, '0')).str());
}

llvm::Error forEachFolder(const std::string &root,
                          llvm::function_ref<void(const EntryKind &, const Folder &)> f) {
  auto top = Folder::open(root);
  if (!top)
    return unlessMissing(top.takeError());
  for (const EntryKind *kind : {&kObjectEntry, &kWisdomEntry}) {
    auto ofKind = top->below(kind->folder);
    if (!ofKind) {
      if (llvm::Error error = unlessMissing(ofKind.takeError()))
        return error;
      continue;
    }
    for (const std::string &part : ofKind->names()) {
      if (!isPart(part))
        continue;
      auto folder = ofKind->below(part);
      if (folder)
        f(*kind, *folder);
      else if (llvm::Error error = unlessMissing(folder.takeError()))
        return error;
    }
  }
  return llvm::Error::success();
}

// Calls f for each name that an entry of its folder can have.
static llvm::Error forEachName(
    const std::string &root,
    llvm::function_ref<void(const EntryKind &, const Folder &, const std::string &name)> f) {
  return forEachFolder(root, [&](const EntryKind &kind, const Folder &folder) {
    for (const std::string &name : folder.names())
      if (isId(name) && llvm::StringRef(folder.path()).ends_with(partOf(name)))
        f(kind, folder, name);
  });
}

std::vector<std::string> filesInPlaceOfFolders(const std::string &root) {
  std::vector<std::string> paths;
  for (const EntryKind *kind : {&kObjectEntry, &kWisdomEntry})
    if (const std::string path = root + "/" + kind->folder;
        llvm::sys::fs::exists(path) && !llvm::sys::fs::is_directory(path))
      paths.push_back(path);
  return paths;
}

llvm::Expected<std::vector<std::string>> foldersInPlaceOfEntries(const std::string &root) {
  std::vector<std::string> paths;
  const auto look = [&](const EntryKind &, const Folder &folder, const std::string &name) {
    auto found = folder.below(name);
    if (found)
      paths.push_back(found->path());
    else
      llvm::consumeError(found.takeError()); // it is a file, or is gone
  };
  if (llvm::Error error = forEachName(root, look))
    return error;
  llvm::sort(paths);
  return paths;
}

llvm::Expected<std::vector<EntryAt>> entriesIn(const std::string &root) {
  std::vector<EntryAt> all;
  const auto add = [&](const EntryKind &kind, const Folder &folder, const std::string &name) {
    if (const auto file = folder.look(name))
      all.push_back({&kind, name, *file});
  };
  if (llvm::Error error = forEachName(root, add))
    return error;
  llvm::sort(all, [](const EntryAt &a, const EntryAt &b) {
    return std::pair(llvm::StringRef(a.kind->folder), a.id) <
           std::pair(llvm::StringRef(b.kind->folder), b.id);
  });
  return all;
}

static bool isEntry(const Folder &folder, const EntryAt &entry) {
  auto file = folder.file(entry.id);
  if (!file) {
    llvm::consumeError(file.takeError());
    return false;
  }
  const auto start = file->read(0, std::min<uint64_t>(file->size(), kTellingBytes));
  return start && beginsAsEntry(*entry.kind, viewOf(*start));
}

llvm::Expected<Removal> removeEntry(const Folder &folder, const EntryAt &entry) {
  if (!folder.look(entry.id))
    return Removal::gone;
  if (!isEntry(folder, entry))
    return folder.look(entry.id) ? Removal::isNone : Removal::gone;
  auto isRemoved = folder.remove(entry.id);
  if (!isRemoved)
    return isRemoved.takeError();
  return *isRemoved ? Removal::removed : Removal::gone;
}

// --- Sweep ---------------------------------------------------------------------------------------

// Checks names first, and ages only of files with such names.

bool isTemporaryName(llvm::StringRef name) { return isId(FreshFile::targetOf(name)); }

void sweep(const Folder &folder) {
  const auto now = std::chrono::system_clock::now();
  for (const std::string &name : folder.names())
    if (isTemporaryName(name))
      if (const auto found = folder.look(name); found && found->ageAt(now) > kStale)
        llvm::consumeError(folder.remove(name).takeError());
}

// --- Prune ---------------------------------------------------------------------------------------

// Sorts the entries of a folder by their last use, and removes the oldest.

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
