// cache list: lists the user's own folder, an entry per line; also cache size and path.
#include "runtime/cli/cache/cache.h"

#include "models/base/text.h"
#include "models/plan.h"
#include "runtime/store/packs.h"
#include "runtime/store/wisdom.h"

#include "llvm/Support/FormatVariadic.h"

#include <map>

namespace specmv::cli {

namespace json = llvm::json;

namespace {
// A listed entry; unknown fields are "".
struct ListedEntry {
  const EntryKind *kind;
  std::string id, arch, format, signature, object, trouble;
  uint64_t bytes;
  int64_t seconds; // since its last use
};
} // namespace

llvm::Error forEachEntry(const std::string &root,
                         const std::function<void(const EntryAt &, const Inspected &)> &f) {
  auto entries = entriesIn(root);
  if (!entries)
    return entries.takeError();
  for (const EntryAt &at : *entries) {
    auto folder = folderOfEntry(root, *at.kind, at.id);
    auto bytes = folder ? readEntryFile(*folder, at.id) : folder.takeError();
    if (!bytes) {
      const auto [status, sentence] = describe(bytes.takeError());
      if (status == Status::badInput) // the entry is not trusted
        return failWith(status, sentence);
    }
    // An entry that was pruned meanwhile is skipped.
    else if (Inspected found = inspect(at.id, std::move(*bytes));
             found.kind == at.kind || found.kind == nullptr)
      f(at, found);
    else
      f(at, {});
  }
  return llvm::Error::success();
}

static void fill(ListedEntry &line, const Entry &entry) {
  if (line.kind == &kObjectEntry) {
    const CachedObject object = objectOf(entry);
    line.arch = shownOnOneLine(object.arch), line.format = shownOnOneLine(object.name);
    return;
  }
  const auto wisdom = parseWisdom(entry.sections[1]);
  if (!wisdom)
    return;
  line.signature = wisdom->signature, line.object = wisdom->object;
  if (const auto plan = parsePlan(wisdom->plan))
    line.format = plan->format;
}

static llvm::Expected<std::vector<ListedEntry>> linesOf(const Cache &cache) {
  const auto now = std::chrono::system_clock::now();
  std::vector<ListedEntry> lines;
  std::map<std::string, std::string> archOf; // by object id; objects are listed first
  llvm::Error error = forEachEntry(cache.path(), [&](const EntryAt &at, const Inspected &found) {
    const auto age = std::chrono::duration_cast<std::chrono::seconds>(now - at.file.changed);
    ListedEntry line{
        at.kind, at.id, "", "", "", "", "", at.file.bytes, std::max<int64_t>(0, age.count())};
    if (found.health == Inspected::whole)
      fill(line, found.entry);
    else
      line.trouble = found.health == Inspected::damaged ? "damaged" : "of another version";
    if (line.arch.empty() && archOf.contains(line.object))
      line.arch = archOf[line.object];
    archOf[line.id] = line.arch;
    lines.push_back(std::move(line));
  });
  if (error)
    return error;
  return lines;
}

static std::string ageText(int64_t seconds) {
  constexpr int64_t kMinute = 60, kHour = 60 * kMinute, kDay = 24 * kHour;
  if (seconds < kMinute)
    return std::to_string(seconds) + " s";
  if (seconds < kHour)
    return std::to_string(seconds / kMinute) + " min";
  return seconds < kDay ? std::to_string(seconds / kHour) + " h"
                        : std::to_string(seconds / kDay) + " d";
}

static std::string textOf(const ListedEntry &line) {
  std::string what = line.trouble.empty() ? line.format : line.trouble;
  if (!line.signature.empty())
    what += " for the matrix " + line.signature;
  return llvm::formatv("{0}  {1}  {2,-8} {3,9}  {4,6}  {5}\n", wordFor(*line.kind), line.id,
                       line.arch.empty() ? "-" : line.arch,
                       shortBytes(static_cast<double>(line.bytes)), ageText(line.seconds), what);
}

static json::Value textOrNull(const std::string &text) {
  return text.empty() ? json::Value(nullptr) : json::Value(json::fixUTF8(text));
}

static json::Object listedJson(const ListedEntry &line) {
  return json::Object{{"kind", wordFor(*line.kind)},
                      {"id", line.id},
                      {"arch", textOrNull(line.arch)},
                      {"bytes", line.bytes},
                      {"ageSeconds", line.seconds},
                      {"format", textOrNull(line.format)},
                      {"signature", textOrNull(line.signature)},
                      {"trouble", textOrNull(line.trouble)}};
}

llvm::Error listCache(const Options &options, Cache &cache) {
  auto lines = linesOf(cache);
  if (!lines)
    return lines.takeError();
  std::string text;
  json::Array all;
  for (const ListedEntry &line : *lines) {
    text += textOf(line);
    all.push_back(listedJson(line));
  }
  return writeAnswer(
      options,
      llvm::json::Object{{"path", json::fixUTF8(cache.path())}, {"entries", std::move(all)}}, text);
}

llvm::Error tellCacheSize(const Options &options, Cache &cache) {
  auto entries = entriesIn(cache.path());
  if (!entries)
    return entries.takeError();
  uint64_t bytes = 0;
  size_t objects = 0;
  for (const EntryAt &entry : *entries) {
    bytes += entry.file.bytes;
    objects += entry.kind == &kObjectEntry;
  }
  const std::string bound =
      cache.bound() == 0 ? "none" : shortBytes(static_cast<double>(cache.bound()));
  return writeAnswer(
      options,
      llvm::json::Object{{"path", json::fixUTF8(cache.path())},
                         {"bytes", bytes},
                         {"entries", entries->size()},
                         {"objects", objects},
                         {"choices", entries->size() - objects},
                         {"bound", cache.bound() == 0 ? json::Value(nullptr) : cache.bound()}},
      llvm::formatv("folder     {0}\n"
                    "size       {1}\n"
                    "entries    {2}: {3} objects, {4} choices\n"
                    "bound      {5}\n",
                    cache.path(), shortBytes(static_cast<double>(bytes)), entries->size(), objects,
                    entries->size() - objects, bound));
}

llvm::Error tellCachePaths(const Options &options, Cache &cache) {
  std::string text = cache.path().empty() ? "" : cache.path() + "\n";
  json::Array readOnly;
  const auto add = [&](const std::string &path) {
    text += path + "\n";
    readOnly.push_back(json::fixUTF8(path));
  };
  for (const auto &pack : cache.packs())
    add(pack->path());
  for (const std::string &directory : cache.directories())
    if (directory != cache.path())
      add(directory);
  return writeAnswer(
      options,
      llvm::json::Object{{"path", textOrNull(cache.path())}, {"readOnly", std::move(readOnly)}},
      text);
}

} // namespace specmv::cli
