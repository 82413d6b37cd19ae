// cache verify: reads every entry of the user's own folder, of the packs, and of the read-only
// folders.
#include "runtime/cli/cache/cache.h"

#include "models/base/text.h"
#include "runtime/cli/report.h"
#include "runtime/store/packs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv::cli {

namespace {
struct Verified {
  uint64_t good = 0, old = 0;
  std::vector<std::string> bad; // one sentence each
};
} // namespace

static void count(Verified &all, const std::string &place, const std::string &id,
                  const Inspected &found) {
  if (found.health == Inspected::whole)
    ++all.good;
  else if (found.health == Inspected::ofOtherVersion)
    ++all.old;
  else
    all.bad.push_back(place + ": the entry " + id + " is damaged");
}

static void verifyPack(Verified &all, const PackFile &pack) {
  for (size_t i = 0; i < pack.entries(); ++i)
    if (auto entry = pack.entryAt(i))
      count(all, pack.path(), entry->id,
            inspect(entry->id, {entry->bytes.begin(), entry->bytes.end()}));
    else
      all.bad.push_back(pack.path() + ": it was truncated while being read");
}

static void verifyFolders(Verified &all, const std::string &directory) {
  for (const std::string &path : filesInPlaceOfFolders(directory))
    all.bad.push_back(path +
                      " is a file where a folder of entries belongs, so no entry can be stored "
                      "there; remove it");
}

static llvm::Error verifyDirectory(Verified &all, const std::string &directory) {
  auto inPlace = foldersInPlaceOfEntries(directory);
  if (!inPlace)
    return inPlace.takeError();
  for (const std::string &path : *inPlace)
    all.bad.push_back(
        path + " is a folder where an entry belongs, so the entry cannot be stored; remove it");
  return forEachEntry(directory, [&](const EntryAt &at, const Inspected &found) {
    count(all, directory + "/" + at.kind->folder, at.id, found);
  });
}

llvm::Error verifyCache(const Options &options, Cache &cache) {
  Verified all;
  for (const auto &pack : cache.packs())
    verifyPack(all, *pack);
  bool isCleared = false; // by cache clear, which refuses a folder that cannot be read or trusted
  for (const std::string &directory : cache.directories()) {
    verifyFolders(all, directory);
    const size_t before = all.bad.size();
    if (llvm::Error error = verifyDirectory(all, directory))
      all.bad.push_back(describe(std::move(error)).second);
    else
      isCleared |= directory == cache.path() && all.bad.size() > before;
  }
  for (const std::string &sentence : all.bad)
    warn(sentence);
  llvm::append_range(all.bad, cache.unread()); // opening the cache has warned about these
  llvm::json::Array bad;
  for (const std::string &sentence : all.bad)
    bad.push_back(llvm::json::fixUTF8(sentence));
  const std::string text =
      llvm::formatv("{0} good, {1} bad, {2} of another version of specmv\n",
                    counted(all.good, "entry is", "entries are"), all.bad.size(), all.old);
  if (llvm::Error error = writeAnswer(
          options,
          llvm::json::Object{{"good", all.good}, {"bad", std::move(bad)}, {"old", all.old}}, text))
    return error;
  if (all.bad.empty())
    return llvm::Error::success();
  return fail(Status::badInput,
              "{0} of {1} entries, packs or folders are bad; they are not used, and their kernels "
              "are compiled again; {2}",
              all.bad.size(), all.good + all.old + all.bad.size(),
              isCleared ? "'specmv cache clear' removes all entries of your folder"
                        : "make the packs and folders named above again, or name others");
}

} // namespace specmv::cli
