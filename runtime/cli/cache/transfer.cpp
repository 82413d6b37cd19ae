// cache export and cache import: copy the user's own folder into a pack, and a pack into the
// folder.
#include "runtime/cli/cache/cache.h"

#include "models/base/text.h"
#include "runtime/cli/report.h"
#include "runtime/store/entry_file.h"
#include "runtime/store/folder.h"
#include "runtime/store/packs.h"

#include "llvm/Support/FormatVariadic.h"

namespace specmv::cli {

static llvm::Error tellMoved(const Options &options, const std::string &pack, size_t entries,
                             size_t others, const std::string &text) {
  return writeAnswer(options,
                     llvm::json::Object{{"pack", llvm::json::fixUTF8(pack)},
                                        {"entries", entries},
                                        {"others", others}},
                     text);
}

namespace {
// The kernels and choices that go into a pack.
struct Exported {
  std::vector<PackedKernel> kernels;
  std::vector<PackEntry> entries; // of kernels and choices
  size_t leftOut = 0;
  size_t choices() const { return entries.size() - kernels.size(); }
};
} // namespace

static llvm::Expected<Exported> exportedFrom(const std::string &root) {
  Exported out;
  if (llvm::Error error = forEachEntry(root, [&](const EntryAt &at, const Inspected &found) {
        if (found.health == Inspected::damaged)
          warn(root + "/" + at.kind->folder + ": the entry " + at.id +
               " is damaged, so it is left out");
        out.leftOut += found.health != Inspected::whole;
        if (found.health != Inspected::whole)
          return;
        out.entries.push_back({at.id, viewOf(found.entry.bytes).str()});
        if (at.kind != &kObjectEntry)
          return;
        const CachedObject object = objectOf(found.entry);
        out.kernels.push_back({at.id, object.arch, object.name, object.compiler});
      }))
    return error;
  return out;
}

// The manifest and the order depend on the entries alone, so equal entries give equal bytes.
llvm::Error exportCache(const Options &options, Cache &cache) {
  const std::string &file = options.arguments[1];
  auto found = exportedFrom(cache.path());
  if (!found)
    return found.takeError();
  auto &[kernels, entries, leftOut] = *found;
  if (kernels.empty())
    return fail(Status::missing,
                "there are no kernels in {0} to export; 'specmv run' and 'specmv "
                "pregen' make some",
                cache.path());
  const size_t choices = found->choices(), count = entries.size();
  auto bytes = packBytes(manifestOf(kernels), std::move(entries));
  if (!bytes)
    return bytes.takeError();
  if (llvm::Error failed = writePack(file, *bytes))
    return failed;
  const std::string text = llvm::formatv(
      "{0}: {1}, {2}, {3}\n", file, shortBytes(static_cast<double>(bytes->size())),
      counted(kernels.size(), "kernel", "kernels"), counted(choices, "choice", "choices"));
  if (isStandardOutput(file)) {
    note(llvm::StringRef(text).rtrim().str());
    return llvm::Error::success();
  }
  return tellMoved(options, file, count, leftOut, text);
}

// Returns true if the folder has an intact copy of this entry.
static bool isThere(const Cache &cache, const EntryKind &kind, const std::string &id) {
  auto folder = folderOfEntry(cache.path(), kind, id);
  auto bytes = folder ? readEntryFile(*folder, id) : folder.takeError();
  if (bytes)
    return inspect(id, std::move(*bytes)).health == Inspected::whole;
  llvm::consumeError(bytes.takeError());
  return false;
}

// Reads everything before it writes anything. Existing entries stay: a choice that was measured
// here is worth more than one that was predicted elsewhere.
llvm::Error importCache(const Options &options, Cache &cache) {
  auto pack = packAt(absolutePath(options.arguments[1]));
  if (!pack)
    return pack.takeError();
  std::vector<std::pair<const EntryKind *, PackEntry>> entries;
  for (size_t i = 0; i < (*pack)->entries(); ++i) {
    auto entry = (*pack)->entryAt(i);
    const Inspected found =
        entry ? inspect(entry->id, {entry->bytes.begin(), entry->bytes.end()}) : Inspected{};
    if (found.health == Inspected::damaged)
      return fail(Status::badInput,
                  "entry {0} of {1} of the pack {2} is damaged; nothing was imported", i + 1,
                  (*pack)->entries(), (*pack)->path());
    if (found.health == Inspected::whole)
      entries.emplace_back(found.kind, std::move(*entry));
  }
  size_t imported = 0;
  for (const auto &[kind, entry] : entries) {
    if (isThere(cache, *kind, entry.id))
      continue;
    if (llvm::Error error = cache.publishEntry(*kind, entry.id, entry.bytes))
      return error;
    ++imported;
  }
  const size_t others = (*pack)->entries() - imported;
  return tellMoved(options, (*pack)->path(), imported, others,
                   llvm::formatv("{0} imported; {1} others of {2} were there, or are of another "
                                 "version of specmv\n",
                                 counted(imported, "entry", "entries"), others, (*pack)->path()));
}

} // namespace specmv::cli
