// The verb cache: finds the word after it, and checks that word's arguments.
#include "runtime/cli/cache/cache.h"

#include "models/base/text.h"
#include "runtime/cli/json.h"
#include "runtime/cli/report.h"
#include "runtime/cli/verbs.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv::cli {

namespace {
struct CacheWord {
  const char *name;
  llvm::Error (*run)(const Options &, Cache &);
  size_t least = 0, most = 0; // number of arguments
  const char *wants = "";
};
} // namespace

static constexpr CacheWord kCacheWords[] = {
    {"list", listCache},
    {"size", tellCacheSize},
    {"verify", verifyCache},
    {"prune", pruneCache, 0, 1, "BYTES"},
    {"clear", clearCache},
    {"forget", forgetMatrix, 1, 1, "MATRIX"},
    {"export", exportCache, 1, 1, "FILE"},
    {"import", importCache, 1, 1, "FILE"},
    {"path", tellCachePaths},
};

const char *wordFor(const EntryKind &kind) { return &kind == &kObjectEntry ? "object" : "choice"; }

llvm::Error writeAnswer(const Options &options, llvm::json::Object document,
                        const std::string &text) {
  if (!options.json)
    return writeText(options.output, text);
  return writeResult(options.output, jsonDocument("cache", std::move(document)));
}

static llvm::Error checkWord(const Options &options, const CacheWord &word) {
  const size_t given = options.arguments.size() - 1;
  if (given < word.least)
    return fail(Status::badCall, "cache {0} needs {1}: 'specmv cache {0} {1}'", word.name,
                word.wants);
  if (given > word.most)
    return fail(Status::badCall, "cache {0} takes {1} argument{2}, but {3} were given", word.name,
                word.most, word.most == 1 ? "" : "s", given);
  return llvm::Error::success();
}

// Refuses a file in the place of the cache: it would look like an empty cache, without an
// explanation.
static llvm::Error checkPlace(const std::string &path) {
  namespace fs = llvm::sys::fs;
  if (path.empty() || !fs::exists(path) || fs::is_directory(path))
    return llvm::Error::success();
  return fail(
      Status::badInput,
      "the cache folder {0} is a file; name a folder in SPECMV_CACHE_DIR, or remove the file",
      path);
}

llvm::Error cacheVerb(const Options &options) {
  std::string names;
  for (const CacheWord &word : kCacheWords) {
    names += (names.empty() ? "" : ", ") + std::string(word.name);
    if (options.arguments.empty() || options.arguments.front() != word.name)
      continue;
    if (llvm::Error error = checkWord(options, word))
      return error;
    Cache cache = Cache::open();
    warnAll(cache.takeWarnings());
    if (cache.path().empty() && word.run != tellCachePaths && word.run != verifyCache)
      return failWith(Status::missing,
                      isWithoutCache() ? "there is no cache: SPECMV_CACHE_DIR is empty; unset it, "
                                         "or set it to a folder"
                                       : "there is no cache: set SPECMV_CACHE_DIR");
    if (llvm::Error error = checkPlace(cache.path()))
      return error;
    llvm::Error error = word.run(options, cache);
    warnAll(cache.takeWarnings());
    return error;
  }
  if (options.arguments.empty())
    return fail(Status::badCall, "cache needs one of {0}; 'specmv cache --help' explains them",
                names);
  return fail(Status::badCall, "cache '{0}' is not known{1}; use one of {2}",
              options.arguments.front(), meantBy(options.arguments.front(), namesIn(kCacheWords)),
              names);
}

} // namespace specmv::cli
