// cache prune and cache clear: remove entries of the user's own folder.
#include "runtime/cli/cache/cache.h"

#include "models/base/text.h"
#include "runtime/cli/report.h"
#include "runtime/store/prune.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>

namespace specmv::cli {

static llvm::Expected<uint64_t> bytesToLeaveBy(const Options &options, const Cache &cache) {
  const bool isArgument = options.arguments.size() > 1;
  if (isArgument && !options.size.empty())
    return fail(Status::badCall, "cache prune has two sizes, {0} and --size {1}; name one",
                options.arguments[1], options.size);
  const std::string &text = isArgument ? options.arguments[1] : options.size;
  if (text.empty())
    return cache.bound();
  const auto bytes = parseBytes(text);
  if (!bytes)
    return fail(Status::badCall,
                "'{0}' is not a number of bytes; write it such as 500000, 64K, 20M or 1G", text);
  return *bytes;
}

static llvm::Error tellPruned(const Options &options, const Pruned &done, uint64_t most) {
  if (done.isTooLarge)
    note(llvm::formatv("{0} exceed {1}, but the last noted use of each entry is less than {2} "
                       "minutes ago; 'specmv cache clear' removes these too",
                       shortBytes(static_cast<double>(done.bytes)),
                       shortBytes(static_cast<double>(most)), kInUse.count()));
  return writeAnswer(
      options,
      llvm::json::Object{
          {"removed", done.removed}, {"entries", done.entries}, {"bytes", done.bytes}},
      llvm::formatv("{0} removed, {1} left with {2}\n", counted(done.removed, "entry", "entries"),
                    done.entries, shortBytes(static_cast<double>(done.bytes))));
}

llvm::Error pruneCache(const Options &options, Cache &cache) {
  auto most = bytesToLeaveBy(options, cache);
  if (!most)
    return most.takeError();
  const bool isBoundless = options.arguments.size() == 1 && options.size.empty() && *most == 0;
  if (isBoundless)
    note("SPECMV_CACHE_SIZE is 0: the cache has no limit, so nothing is removed");
  if (!llvm::sys::fs::exists(cache.path()))
    return tellPruned(options, {}, *most);
  if (isBoundless)
    most = std::numeric_limits<uint64_t>::max();
  auto done = prune(cache.path(), *most, kMaxWaitForLeader);
  return done ? tellPruned(options, *done, *most) : done.takeError();
}

llvm::Error clearCache(const Options &options, Cache &cache) {
  auto entries = entriesIn(cache.path());
  if (!entries)
    return entries.takeError();
  uint64_t removed = 0, bytes = 0;
  for (const EntryAt &entry : *entries) {
    auto folder = folderOfEntry(cache.path(), *entry.kind, entry.id);
    if (!folder)
      return folder.takeError();
    auto done = removeEntry(*folder, entry);
    if (!done)
      return fail(Status::missing, "{0}; {1} removed before", describe(done.takeError()).second,
                  counted(removed, "entry was", "entries were"));
    if (*done == Removal::isNone)
      warn(folder->path() + "/" + entry.id + " is not a cache entry, so it is kept");
    if (*done != Removal::removed)
      continue;
    ++removed;
    bytes += entry.file.bytes;
  }
  if (llvm::Error error = forEachFolder(
          cache.path(), [](const EntryKind &, const Folder &folder) { sweep(folder); }))
    return error;
  return writeAnswer(options, llvm::json::Object{{"removed", removed}, {"bytes", bytes}},
                     llvm::formatv("{0} removed, with {1}\n", counted(removed, "entry", "entries"),
                                   shortBytes(static_cast<double>(bytes))));
}

} // namespace specmv::cli
