// Declarations for the parts of the verb cache: the words after it, and the folder that they use.
#pragma once

#include "runtime/cli/options.h"
#include "runtime/store/cache.h"
#include "runtime/store/entry_file.h"
#include "runtime/store/prune.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <functional>

namespace specmv::cli {

// Each receives the cache of the environment, whose own folder has a name but may not exist.
llvm::Error listCache(const Options &options, Cache &cache);
llvm::Error tellCacheSize(const Options &options, Cache &cache);
llvm::Error verifyCache(const Options &options, Cache &cache);
llvm::Error pruneCache(const Options &options, Cache &cache);
llvm::Error clearCache(const Options &options, Cache &cache);
llvm::Error forgetMatrix(const Options &options, Cache &cache);
llvm::Error exportCache(const Options &options, Cache &cache);
llvm::Error importCache(const Options &options, Cache &cache);
llvm::Error tellCachePaths(const Options &options, Cache &cache);

// Returns "object" or "choice", the words used in messages.
const char *wordFor(const EntryKind &kind);

// Calls f with each entry of a folder, after reading and inspecting it. Errors are those of
// entriesIn().
llvm::Error forEachEntry(const std::string &root,
                         const std::function<void(const EntryAt &, const Inspected &)> &f);

// Writes a document with --json, otherwise a text, to the file of -o or to standard output.
llvm::Error writeAnswer(const Options &options, llvm::json::Object document,
                        const std::string &text);

} // namespace specmv::cli
