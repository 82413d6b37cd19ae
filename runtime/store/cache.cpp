// Makes the keys of the cache, finds its directories, and looks up and stores entries.
#include "runtime/store/cache.h"

#include "models/base/error.h"
#include "runtime/store/directory.h"
#include "runtime/store/entry_file.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

namespace fs = llvm::sys::fs;

namespace specmv {

static std::string idOf(llvm::StringRef text) {
  llvm::BLAKE3 hasher;
  hasher.update(text);
  return llvm::toHex(hasher.final<16>(), /*LowerCase=*/true);
}

CacheKey makeKey(const EntryKind &kind, const KeyFields &fields) {
  CacheKey key;
  key.text = std::string("specmv ") + kind.folder + " " + std::to_string(kCacheVersion) + "\n";
  for (const auto &[name, value] : fields) {
    key.text.append(name.data(), name.size());
    key.text += " " + std::to_string(value.size()) + "\n";
    key.text.append(value.data(), value.size());
    key.text += '\n';
  }
  key.id = idOf(key.text);
  return key;
}

CacheKey objectKey(llvm::StringRef source, llvm::ArrayRef<EmbeddedFile> headers,
                   llvm::ArrayRef<std::string> options, llvm::StringRef arch) {
  KeyFields fields{{"arch", arch}};
  for (const std::string &option : options)
    fields.emplace_back("option", option);
  for (const EmbeddedFile &header : headers) {
    fields.emplace_back("header", header.name);
    fields.emplace_back("text", header.text);
  }
  fields.emplace_back("source", source);
  return makeKey(kObjectEntry, fields);
}

// --- The directories of the environment ----------------------------------------------------------

static std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

// The host program may change its working directory between two calls.
static std::string absolute(llvm::StringRef path) {
  llvm::SmallString<256> out(path);
  return fs::make_absolute(out) ? path.str() : out.str().str();
}

static std::string ownDirectory() {
  if (const std::string own = environment("SPECMV_CACHE_DIR"); !own.empty())
    return absolute(own);
  // The XDG Base Directory Specification: a relative path is to be ignored.
  if (const std::string xdg = environment("XDG_CACHE_HOME"); llvm::sys::path::is_absolute(xdg))
    return xdg + "/specmv";
  if (const std::string home = environment("HOME"); llvm::sys::path::is_absolute(home))
    return home + "/.cache/specmv";
  return "";
}

static std::vector<std::string> packDirectories() {
  std::vector<std::string> directories;
  const std::string path = environment("SPECMV_CACHE_PATH");
  for (llvm::StringRef rest = path; !rest.empty();) {
    auto [directory, tail] = rest.split(':');
    if (!directory.empty())
      directories.push_back(absolute(directory));
    rest = tail;
  }
  return directories;
}

Cache Cache::open() {
  const std::vector<std::string> readOnly = packDirectories();
  Cache cache(readOnly, ownDirectory());
  cache.forOwnerOnly_ = environment("SPECMV_CACHE_DIR").empty();
  for (const std::string &pack : readOnly)
    if (const std::string why = whyNotReadable(pack); !why.empty())
      cache.warnings_.push_back("SPECMV_CACHE_PATH: " + why);
  if (cache.writable_.empty())
    cache.warnings_.emplace_back("none of SPECMV_CACHE_DIR, XDG_CACHE_HOME and HOME names a "
                                 "directory: compiled kernels are not kept");
  return cache;
}

Cache::Cache(std::vector<std::string> readOnly, std::string writable)
    : directories_(std::move(readOnly)), writable_(std::move(writable)) {
  if (!writable_.empty())
    directories_.push_back(writable_);
}

std::vector<std::string> Cache::takeWarnings() { return std::exchange(warnings_, {}); }

// --- Finding and storing -------------------------------------------------------------------------

// 256 folders, so that none has very many files.
static std::string folderOf(const std::string &directory, const EntryKind &kind,
                            const CacheKey &key) {
  return directory + "/" + kind.folder + "/" + key.id.substr(0, 2);
}

namespace {
struct Entry {
  std::vector<char> bytes;
  std::vector<llvm::StringRef> sections; // into `bytes`, whose elements stay in place on a move
};
} // namespace

// The entry of that key in one directory. The file's name is only a hash of the key, so the whole
// text of the key is compared.
static std::optional<Entry> readEntry(const std::string &directory, const EntryKind &kind,
                                      const CacheKey &key) {
  std::optional<std::vector<char>> bytes =
      readEntryFile(folderOf(directory, kind, key) + "/" + key.id);
  if (!bytes)
    return std::nullopt;
  std::optional<std::vector<llvm::StringRef>> sections =
      unpackEntry(kind, llvm::StringRef(bytes->data(), bytes->size()));
  if (!sections || sections->front() != key.text)
    return std::nullopt;
  return Entry{std::move(*bytes), std::move(*sections)};
}

std::optional<CachedObject> Cache::find(const CacheKey &key) const {
  for (const std::string &directory : directories_)
    if (const std::optional<Entry> entry = readEntry(directory, kObjectEntry, key)) {
      const std::vector<llvm::StringRef> &s = entry->sections;
      return CachedObject{{s[4].begin(), s[4].end()}, s[3].str(), s[1].str(), s[2].str()};
    }
  return std::nullopt;
}

std::vector<std::string> Cache::findWisdom(const CacheKey &key) const {
  std::vector<std::string> texts;
  for (const std::string &directory : directories_)
    if (const std::optional<Entry> entry = readEntry(directory, kWisdomEntry, key))
      texts.push_back(entry->sections[1].str());
  return texts;
}

// The folders below `top` get the mode of the umask: access to `top` decides who may read them.
static llvm::Error makeFolder(const std::string &top, fs::perms modeOfTop,
                              const std::string &folder) {
  std::error_code error = fs::create_directories(top, /*IgnoreExisting=*/true, modeOfTop);
  if (!error)
    error = fs::create_directories(folder, /*IgnoreExisting=*/true, fs::all_all);
  if (error)
    return fail(Status::missing, "cannot create the directory {0}: {1}", folder, error.message());
  return llvm::Error::success();
}

static llvm::Error publishEntry(const std::string &directory, fs::perms modeOfDirectory,
                                const EntryKind &kind, const CacheKey &key,
                                llvm::ArrayRef<llvm::StringRef> sections) {
  const std::string folder = folderOf(directory, kind, key);
  if (llvm::Error error = makeFolder(directory, modeOfDirectory, folder))
    return error;
  return publishFile(folder + "/" + key.id, packEntry(kind, sections));
}

void Cache::publish(const EntryKind &kind, const CacheKey &key,
                    llvm::ArrayRef<llvm::StringRef> rest) {
  if (writable_.empty())
    return;
  std::vector<llvm::StringRef> sections{key.text};
  sections.insert(sections.end(), rest.begin(), rest.end());
  const fs::perms mode = forOwnerOnly_ ? fs::owner_all : fs::all_all;
  llvm::Error error = publishEntry(writable_, mode, kind, key, sections);
  if (!error)
    return;
  const std::string reason = describe(std::move(error)).second;
  if (!std::exchange(warnedOfStore_, true))
    warnings_.push_back("kernels and choices are not cached: " + reason);
}

void Cache::store(const CacheKey &key, const CachedObject &object) {
  const llvm::StringRef cubin(object.cubin.data(), object.cubin.size());
  publish(kObjectEntry, key, {object.compiler, object.log, object.source, cubin});
}

void Cache::storeWisdom(const CacheKey &key, const std::string &text) {
  publish(kWisdomEntry, key, {text});
}

} // namespace specmv
