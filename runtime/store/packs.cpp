// Writes packs, opens them, finds entries in them, and keeps those that are open.
#include "runtime/store/packs.h"

#include "models/base/error.h"
#include "models/base/fork.h"
#include "models/base/lasting.h"
#include "models/base/own_environment.h"
#include "runtime/cuda/places.h"
#include "runtime/store/entry_file.h"
#include "runtime/store/folder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

namespace specmv {

// --- Pack file -----------------------------------------------------------------------------------

// Writes packs, opens them and finds entries in them. No content is used before its digest has been
// checked.

static constexpr llvm::StringLiteral kPackName = "specmv pack ";
static constexpr size_t kIdBytes = 16, kIndexedBytes = kIdBytes + sizeof(uint64_t);
// The length of the longest first line: the version and two 64-bit numbers.
static constexpr size_t kMaxFirstLine = kPackName.size() + 3 * 21 + 1;

// --- Writing -------------------------------------------------------------------------------------

PackEntry packedObject(const CacheKey &key, const CachedObject &object) {
  const llvm::StringRef cubin(object.cubin.data(), object.cubin.size());
  return {key.id, packEntry(kObjectEntry, {key.digest, object.arch, object.name, object.compiler,
                                           object.log, cubin})};
}

PackEntry packedWisdom(const CacheKey &key, const std::string &text) {
  return {key.id, packEntry(kWisdomEntry, {key.digest, text})};
}

CachedObject objectOf(const Entry &entry) {
  const std::vector<llvm::StringRef> &s = entry.sections;
  return {{s[5].begin(), s[5].end()}, s[2].str(), s[3].str(), s[4].str(), s[1].str()};
}

CachedObject objectFrom(Entry &&entry) {
  const std::vector<llvm::StringRef> &s = entry.sections;
  CachedObject out{{}, s[2].str(), s[3].str(), s[4].str(), s[1].str()};
  std::vector<char> &bytes = entry.bytes;
  const size_t size = s[5].size();
  bytes.erase(bytes.begin(), bytes.begin() + (s[5].data() - bytes.data()));
  bytes.resize(size);
  out.cubin = std::move(bytes);
  return out;
}

std::string manifestOf(const std::vector<PackedKernel> &kernels) {
  std::set<std::string> compilers, architectures;
  for (const PackedKernel &kernel : kernels) {
    compilers.insert(kernel.compiler);
    architectures.insert(kernel.arch);
  }
  std::string text = "specmv " SPECMV_VERSION_TEXT "\n";
  for (const std::string &compiler : compilers)
    text += "compiler " + compiler + "\n";
  text += "architectures";
  for (const std::string &arch : architectures)
    text += " " + arch;
  text += "\n";
  for (const PackedKernel &kernel : kernels)
    text += "kernel " + kernel.id + " " + kernel.arch + " " + kernel.text + "\n";
  return text;
}

// The most entries that a reader accepts (readIndex()).
constexpr size_t kMaxPackEntries = kMaxEntryBytes / kIndexedBytes;

llvm::Expected<std::string> packBytes(llvm::StringRef manifest, std::vector<PackEntry> entries) {
  if (manifest.size() > kMaxEntryBytes || entries.size() > kMaxPackEntries)
    return fail(Status::badInput,
                "{0} entries with a list of {1} bytes are too many for a pack; the limits are {2} "
                "entries and {3} bytes; make several packs, or remove entries with 'specmv cache "
                "prune'",
                entries.size(), manifest.size(), kMaxPackEntries, kMaxEntryBytes);
  std::stable_sort(entries.begin(), entries.end(),
                   [](const PackEntry &a, const PackEntry &b) { return a.id < b.id; });
  const auto same = [](const PackEntry &a, const PackEntry &b) { return a.id == b.id; };
  entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
  std::string bytes = kPackName.str() + std::to_string(kPackVersion) + " " +
                      std::to_string(manifest.size()) + " " + std::to_string(entries.size()) + "\n";
  bytes.append(manifest.data(), manifest.size());
  for (const PackEntry &entry : entries) {
    char length[sizeof(uint64_t)];
    llvm::support::endian::write64le(length, entry.bytes.size());
    bytes += llvm::fromHex(entry.id);
    bytes.append(length, sizeof length);
  }
  bytes += blake3Of(bytes);
  for (const PackEntry &entry : entries)
    bytes += entry.bytes;
  return bytes;
}

// --- Opening -------------------------------------------------------------------------------------

llvm::Expected<std::shared_ptr<const PackFile>> PackFile::open(const std::string &path) {
  auto file = ReadFile::open(path);
  if (!file)
    return fail(Status::missing, "cannot open the pack {0}: {1}", path, file.getError().message());
  if (std::string why = whyNotTrusted(file->access(), path, path); !why.empty())
    return failWith(Status::badInput, "the pack " + why);
  std::shared_ptr<PackFile> pack(new PackFile(path, std::move(*file)));
  if (llvm::Error error = pack->readIndex())
    return error;
  return pack;
}

llvm::Error PackFile::notPack(const std::string &why) const {
  return fail(Status::badInput, "{0} is not a pack: {1}; make it again with 'specmv pregen'", path_,
              why);
}

// Parses the numbers of the first line: the version, the manifest's bytes and the number of
// entries.
static bool parseFirstLine(llvm::StringRef line, uint64_t (&numbers)[3]) {
  if (!line.consume_front(kPackName))
    return false;
  for (uint64_t &number : numbers)
    if (line.consumeInteger(10, number) ||
        (&number != std::end(numbers) - 1 && !line.consume_front(" ")))
      return false;
  return line.empty();
}

llvm::Error PackFile::readIndex() {
  const auto start = file_.read(0, std::min<uint64_t>(file_.size(), kMaxFirstLine));
  const llvm::StringRef line = start ? viewOf(*start).split('\n').first : "";
  uint64_t numbers[3];
  if (!parseFirstLine(line, numbers))
    return notPack("its first line is not that of a pack");
  const auto [version, manifest, entries] = numbers;
  if (version != kPackVersion)
    return fail(Status::badInput,
                "{0} is a pack of another version of specmv: its version is {1}, and this specmv "
                "reads version {2}; make it again with 'specmv pregen'",
                path_, version, kPackVersion);
  // Both limits prevent an overflow of the sum; the file's size limits what is read.
  if (manifest > kMaxEntryBytes || entries > kMaxPackEntries)
    return notPack("its first line has numbers that are too large");
  const uint64_t body = line.size() + 1 + manifest + entries * kIndexedBytes;
  const auto head = file_.read(0, body + kDigestBytes);
  if (!head)
    return notPack("it is shorter than its index");
  const llvm::StringRef text = viewOf(*head);
  if (blake3Of(text.take_front(body)) != text.take_back(kDigestBytes))
    return notPack("its index was changed");
  manifestAt_ = line.size() + 1, manifestBytes_ = manifest;
  index_.reserve(entries);
  return parseIndex(text.substr(line.size() + 1 + manifest, entries * kIndexedBytes), text.size());
}

// Compares as strings do: by unsigned bytes.
static int compareIds(const std::array<char, kIdBytes> &a, const std::array<char, kIdBytes> &b) {
  return std::memcmp(a.data(), b.data(), kIdBytes);
}

llvm::Error PackFile::parseIndex(llvm::StringRef index, uint64_t at) {
  for (; !index.empty(); index = index.drop_front(kIndexedBytes)) {
    Id id;
    std::memcpy(id.data(), index.data(), kIdBytes);
    const uint64_t length = llvm::support::endian::read64le(index.data() + kIdBytes);
    if (!index_.empty() && compareIds(id, index_.back().id) <= 0)
      return notPack("its index is not sorted");
    if (length > kMaxEntryBytes || length > file_.size() - at)
      return notPack("it is shorter than its entries");
    index_.push_back({id, at, length});
    at += length;
  }
  return at == file_.size() ? llvm::Error::success() : notPack("it is longer than its entries");
}

// --- Finding -------------------------------------------------------------------------------------

std::string PackFile::manifest() const {
  const auto bytes = file_.read(manifestAt_, manifestBytes_);
  return bytes ? viewOf(*bytes).str() : "";
}

const PackFile::Indexed *PackFile::findIndex(const std::string &id) const {
  std::string bytes;
  if (id.size() != 2 * kIdBytes || !llvm::tryGetFromHex(id, bytes))
    return nullptr;
  Id wanted;
  std::memcpy(wanted.data(), bytes.data(), kIdBytes);
  const auto found = llvm::lower_bound(index_, wanted, [](const Indexed &entry, const Id &id) {
    return compareIds(entry.id, id) < 0;
  });
  return found != index_.end() && found->id == wanted ? &*found : nullptr;
}

std::optional<Entry> PackFile::find(const EntryKind &kind, const CacheKey &key) const {
  const Indexed *at = findIndex(key.id);
  if (!at)
    return std::nullopt;
  auto bytes = file_.read(at->offset, at->length);
  Inspected found = bytes ? inspect(key.id, std::move(*bytes)) : Inspected{};
  if (found.health != Inspected::whole) {
    Flaw none = kNone;
    flaw_.compare_exchange_strong(none,
                                  found.health == Inspected::damaged ? kDamaged : kOfOtherVersion);
    return std::nullopt;
  }
  const bool isWanted = found.kind == &kind && found.entry.sections.front() == key.digest;
  return isWanted ? std::optional(std::move(found.entry)) : std::nullopt;
}

std::optional<PackEntry> PackFile::entryAt(size_t number) const {
  const auto &[id, offset, length] = index_[number];
  const auto bytes = file_.read(offset, length);
  if (!bytes)
    return std::nullopt;
  return PackEntry{llvm::toHex(llvm::StringRef(id.data(), id.size()), /*LowerCase=*/true),
                   {bytes->begin(), bytes->end()}};
}

std::string PackFile::takeWarning() const {
  const Flaw found = flaw_.load();
  if (found == kNone || found == kTold || flaw_.exchange(kTold) == kTold)
    return "";
  return "the pack " + path_ +
         (found == kDamaged
              ? " is damaged: kernels that cannot be read from it"
              : " has entries of another version of specmv: kernels that this version lacks") +
         " are compiled; make it again with 'specmv pregen'";
}

// --- Packs ---------------------------------------------------------------------------------------

// Keeps the open packs of the process, and finds the standard pack.

namespace {
struct Kept {
  ForkMutex mutex; // guards the rest
  std::map<std::string, std::shared_ptr<const PackFile>> byPath;
  Packs added;
};
} // namespace

// Made at first use, since a library must not run code when it is loaded.
static Kept &kept() {
  static Lasting<Kept> it;
  return *it;
}

llvm::Expected<std::shared_ptr<const PackFile>> packAt(const std::string &path) {
  const std::lock_guard lock(kept().mutex);
  std::shared_ptr<const PackFile> &known = kept().byPath[path];
  if (known)
    if (const auto now = ReadFile::open(path); now && now->identity() == known->identity() &&
                                               whyNotTrusted(now->access(), path, path).empty())
      return known;
  auto opened = PackFile::open(path);
  if (opened)
    known = *opened;
  return opened;
}

llvm::Error addPack(const std::string &path) {
  auto pack = packAt(absolutePath(path));
  if (!pack)
    return pack.takeError();
  const std::lock_guard lock(kept().mutex);
  Packs &added = kept().added;
  if (std::find(added.begin(), added.end(), *pack) == added.end())
    added.push_back(std::move(*pack));
  return llvm::Error::success();
}

Packs addedPacks() {
  const std::lock_guard lock(kept().mutex);
  return kept().added;
}

std::string standardPackPath() {
  if (const auto set = environmentIfSet("SPECMV_STANDARD_PACK"))
    return environmentPath(*set);
  const std::string own = ownFolder();
  // The library may be in lib/ or, as in Debian, one folder deeper; the tool is in bin/.
  for (const char *place : {"/", "/../share/specmv/", "/../../share/specmv/"})
    if (std::string path = own + place + "standard.pack";
        !own.empty() && llvm::sys::fs::is_regular_file(path))
      return path;
  return "";
}

} // namespace specmv
