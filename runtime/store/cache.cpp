// Finds the directories of the cache, and looks up and stores entries.
#include "runtime/store/cache.h"

#include "models/base/error.h"
#include "models/base/own_environment.h"
#include "models/base/stage.h"
#include "runtime/store/folder.h"
#include "runtime/store/packs.h"
#include "runtime/store/prune.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace fs = llvm::sys::fs;

namespace specmv {

// --- The directories of the environment ----------------------------------------------------------

std::string ownDirectory(const CachePlaces &places) {
  if (places.own)
    return places.own->empty() ? "" : absolutePath(*places.own);
  if (const auto own = environmentIfSet("SPECMV_CACHE_DIR"))
    return environmentPath(*own);
  // The XDG Base Directory Specification says to ignore relative paths.
  if (const std::string xdg = environment("XDG_CACHE_HOME"); llvm::sys::path::is_absolute(xdg))
    return xdg + "/specmv";
  if (const std::string home = environment("HOME"); llvm::sys::path::is_absolute(home))
    return home + "/.cache/specmv";
  return "";
}

// Returns true if the list has an empty name, which is most likely a variable that is not set.
static bool hasEmptyName(llvm::StringRef list) {
  return list.starts_with(":") || list.ends_with(":") || list.contains("::");
}

// Returns true if a folder has files but no entries. An empty folder may become a cache.
static bool isOtherFolder(const std::string &path) {
  std::error_code error;
  const bool isEmpty = fs::directory_iterator(path, error) == fs::directory_iterator();
  return !error && !isEmpty && !fs::exists(path + "/" + kObjectEntry.folder) &&
         !fs::exists(path + "/" + kWisdomEntry.folder);
}

void Cache::addUnread(std::string sentence) {
  warnings_.push_back(sentence);
  unread_.push_back(std::move(sentence));
}

void Cache::openPack(const std::string &path, const std::string &origin) {
  auto pack = packAt(path);
  if (pack)
    packs_.push_back(std::move(*pack));
  else
    addUnread(origin + ": " + describe(pack.takeError()).second);
}

void Cache::openListed(const CachePlaces &places) {
  constexpr const char *kVariable = "SPECMV_CACHE_PATH";
  const std::string list = places.listed ? *places.listed : environment(kVariable);
  const std::string origin = places.listed ? "packs" : kVariable;
  if (hasEmptyName(list))
    warnings_.push_back(origin + ": there is no name before, between or behind colons in '" + list +
                        "'; nothing is read there");
  for (const std::string &path : listedPaths(list, !places.listed))
    if (fs::is_regular_file(path))
      openPack(path, origin);
    else if (const std::string why = whyNotReadable(path); !why.empty())
      addUnread(origin + ": " + why);
    else if (isOtherFolder(path))
      addUnread(origin + ": " + path + " is not a cache folder: it has neither " +
                kObjectEntry.folder + " nor " + kWisdomEntry.folder);
    else
      directories_.push_back(path);
}

constexpr const char *kNoOwnDirectory =
    "none of SPECMV_CACHE_DIR, XDG_CACHE_HOME and HOME names a directory: compiled kernels are not "
    "kept";

bool isWithoutCache(const CachePlaces &places) {
  const auto own = places.own ? places.own : environmentIfSet("SPECMV_CACHE_DIR");
  return own && own->empty();
}

void Cache::readBound() {
  const std::string set = environment("SPECMV_CACHE_SIZE");
  if (set.empty())
    return;
  if (const auto bytes = parseBytes(set))
    bound_ = *bytes;
  else
    warnings_.push_back(
        "SPECMV_CACHE_SIZE = '" + set +
        "' is not a number of bytes such as 500000, 64K, 20M or 1G; the limit of the cache is 1G");
}

Cache Cache::open(CacheUse use, const CachePlaces &places) {
  Cache cache({}, "");
  cache.packs_ = addedPacks();
  cache.openListed(places);
  if (const std::string standard = standardPackPath(); !standard.empty())
    cache.openPack(standard, "the standard pack");
  if (use == CacheUse::packsOnly)
    return cache;
  cache.writable_ = ownDirectory(places);
  if (!places.own && environment("SPECMV_CACHE_DIR").empty())
    cache.modeIfCreated_ = 0700;
  if (isWithoutCache(places))
    return cache;
  if (cache.writable_.empty())
    cache.warnings_.emplace_back(kNoOwnDirectory);
  else
    cache.directories_.push_back(cache.writable_);
  cache.readBound();
  return cache;
}

Cache::Cache(std::vector<std::string> readOnly, std::string writable, Packs packs)
    : packs_(std::move(packs)), directories_(std::move(readOnly)), writable_(std::move(writable)) {
  if (!writable_.empty())
    directories_.push_back(writable_);
}

std::string Cache::places() const {
  std::string out = writable_;
  for (const auto &pack : packs_)
    out += "\n" + pack->path();
  for (const std::string &directory : directories_)
    out += "\n" + directory;
  return out;
}

std::vector<std::string> Cache::takeWarnings() {
  for (const auto &pack : packs_)
    if (std::string warning = pack->takeWarning(); !warning.empty())
      warnings_.push_back(std::move(warning));
  return takeOwnWarnings();
}

// --- Finding and storing -------------------------------------------------------------------------

bool Cache::noteDistrust(const std::string &directory, Status status,
                         const std::string &sentence) const {
  if (status == Status::badInput && distrusted_.insert(directory).second)
    warnings_.push_back(sentence);
  return status == Status::badInput;
}

// The file name is half of the key's digest; the entry contains all of it.
std::optional<Entry> Cache::entryIn(const std::string &directory, const EntryKind &kind,
                                    const CacheKey &key) const {
  auto folder = folderOfEntry(directory, kind, key.id);
  auto bytes = folder ? readEntryFile(*folder, key.id, /*isUse=*/directory == writable_)
                      : folder.takeError();
  if (!bytes) {
    const auto [status, sentence] = describe(bytes.takeError());
    noteDistrust(directory, status, sentence);
    return std::nullopt;
  }
  auto entry = entryOf(kind, std::move(*bytes));
  return entry && entry->sections.front() == key.digest ? std::move(entry) : std::nullopt;
}

void Cache::visit(const EntryKind &kind, const CacheKey &key,
                  llvm::function_ref<bool(Entry &, const llvm::Twine &)> isLast) const {
  for (const auto &pack : packs_)
    if (std::optional<Entry> entry = pack->find(kind, key);
        entry && isLast(*entry, "the pack " + llvm::Twine(pack->path())))
      return;
  for (const std::string &directory : directories_)
    if (std::optional<Entry> entry = entryIn(directory, kind, key);
        entry && isLast(*entry, "the cache " + llvm::Twine(directory)))
      return;
}

std::optional<CachedObject> Cache::find(const CacheKey &key) const {
  std::optional<CachedObject> found;
  visit(kObjectEntry, key, [&](Entry &entry, const llvm::Twine &place) {
    found = objectFrom(std::move(entry));
    if (found)
      found->place = place.str();
    return true;
  });
  return found;
}

std::vector<std::string> Cache::findWisdom(const CacheKey &key) const {
  std::vector<std::string> texts;
  visit(kWisdomEntry, key, [&](const Entry &entry, const llvm::Twine & /*place*/) {
    texts.push_back(entry.sections[1].str());
    return false;
  });
  return texts;
}

llvm::Expected<Folder> Cache::folderToWrite(const std::string &name) const {
  if (const std::error_code error = fs::create_directories(writable_, /*IgnoreExisting=*/true,
                                                           static_cast<fs::perms>(modeIfCreated_)))
    return fail(Status::missing, "cannot create the directory {0}: {1}", writable_,
                error.message());
  auto top = Folder::open(writable_);
  return top ? top->made(name) : std::move(top);
}

// If another process is pruning, or the file system has no locks, no warning is needed.
llvm::Error Cache::prunedNow() const {
  auto pruned = prune(writable_, bytesToLeave(bound_), std::chrono::milliseconds(0));
  return unlessMissing(pruned.takeError());
}

llvm::Error Cache::publishEntry(const EntryKind &kind, const std::string &id,
                                const std::string &bytes) {
  if (writable_.empty())
    return fail(Status::missing, kNoOwnDirectory);
  auto ofKind = folderToWrite(kind.folder);
  if (!ofKind)
    return ofKind.takeError();
  auto folder = ofKind->made(partOf(id));
  if (!folder)
    return folder.takeError();
  sweep(*folder);
  if (llvm::Error error = publishFile(*folder, id, bytes))
    return error;
  return isTimeToPrune(id, bytes.size(), bound_) ? prunedNow() : llvm::Error::success();
}

void Cache::warnOfStore(llvm::Error error) {
  const auto [status, sentence] = describe(std::move(error));
  if (!noteDistrust(writable_, status, sentence) && !std::exchange(warnedOfStore_, true))
    warnings_.push_back("kernels and choices are not cached: " + sentence);
}

void Cache::publish(const EntryKind &kind, const CacheKey &key, const std::string &bytes) {
  if (writable_.empty())
    return;
  if (llvm::Error error = publishEntry(kind, key.id, bytes))
    warnOfStore(std::move(error));
}

bool Cache::mayStore() {
  if (writable_.empty())
    return false;
  auto folder = folderToWrite(kObjectEntry.folder);
  if (folder && ::faccessat(folder->descriptor(), ".", W_OK, AT_EACCESS) == 0)
    return true;
  warnOfStore(folder ? fail(Status::missing, "cannot write to {0}: {1}", folder->path(),
                            std::strerror(errno))
                     : folder.takeError());
  return false;
}

Leadership Cache::lead(const CacheKey &key) const {
  if (writable_.empty())
    return Leadership::none();
  auto folder = folderToWrite("locks");
  if (!folder) {
    llvm::consumeError(folder.takeError()); // publish() reports the reason
    return Leadership::none();
  }
  // A compilation takes 50 to 300 ms, so a wait of more than a second gives a warning.
  constexpr std::chrono::milliseconds kTold{1000};
  const Stage stage("waiting for another process that compiles a kernel");
  const auto begin = std::chrono::steady_clock::now();
  Leadership lead = Leadership::take(partOf(key.id), kMaxWaitForLeader, folder->descriptor());
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begin;
  if (waited >= kTold)
    warnings_.push_back(llvm::formatv(
        "waited {0:f1} s for another process that holds {1}/{2} to compile a "
        "kernel{3}",
        waited.count(), folder->path(), partOf(key.id),
        lead.isElsewhere() ? "; it still holds the lock, so this process goes on" : ""));
  return lead;
}

void Cache::store(const CacheKey &key, const CachedObject &object) {
  publish(kObjectEntry, key, packedObject(key, object).bytes);
}

void Cache::storeWisdom(const CacheKey &key, const std::string &text) {
  publish(kWisdomEntry, key, packedWisdom(key, text).bytes);
}

} // namespace specmv
