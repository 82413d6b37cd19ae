// The verbs of the tool: one function each, listed in a table.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace specmv::cli {

struct Options;

struct Verb {
  const char *name;
  const char *description;
  llvm::Error (*run)(const Options &);
  const char *examples = ""; // what --help shows below the options
};

llvm::ArrayRef<Verb> verbs();

llvm::Error runVerb(const Options &options);
llvm::Error analyzeVerb(const Options &options);
llvm::Error emitVerb(const Options &options);
llvm::Error benchVerb(const Options &options);
llvm::Error cacheVerb(const Options &options);
llvm::Error calibrateVerb(const Options &options);
llvm::Error evaluateVerb(const Options &options);
llvm::Error profileVerb(const Options &options);
llvm::Error pregenVerb(const Options &options);
llvm::Error generateVerb(const Options &options);

} // namespace specmv::cli
