// What the parts of the verb cache share: the words behind it, and the folder that they work on.
#pragma once

#include "runtime/cli/options.h"
#include "runtime/store/cache.h"
#include "runtime/store/inspect.h"
#include "runtime/store/survey.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <functional>

namespace specmv::cli {

// Each is given the cache of the environment; its own folder has a name, but need not be there.
llvm::Error listCache(const Options &options, Cache &cache);
llvm::Error tellCacheSize(const Options &options, Cache &cache);
llvm::Error verifyCache(const Options &options, Cache &cache);
llvm::Error pruneCache(const Options &options, Cache &cache);
llvm::Error clearCache(const Options &options, Cache &cache);
llvm::Error forgetMatrix(const Options &options, Cache &cache);
llvm::Error exportCache(const Options &options, Cache &cache);
llvm::Error importCache(const Options &options, Cache &cache);
llvm::Error tellCachePaths(const Options &options, Cache &cache);

// "object" or "choice", as people know them.
const char *wordFor(const EntryKind &kind);

// Calls f with each entry of a folder, read and looked at. Errors are those of entriesIn().
llvm::Error forEachEntry(const std::string &root,
                         const std::function<void(const EntryAt &, const Inspected &)> &f);

// Writes a document where --json was given, else a text, where -o says.
llvm::Error writeAnswer(const Options &options, llvm::json::Object document,
                        const std::string &text);

} // namespace specmv::cli
