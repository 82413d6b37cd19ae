// The verbs of the tool, in one table: what each does, its arguments and its options. Parsing,
// refusing and help follow from it.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace specmv::cli {

struct Options;

// A word behind a verb, as list is of cache.
struct VerbWord {
  const char *name;
  const char *arguments;
  const char *purpose;
  const char *options = ""; // that only it has, of those of its verb
};

struct Verb {
  const char *name;
  const char *arguments;
  const char *purpose;
  llvm::Error (*run)(const Options &);
  const char *options; // in the order of its help, divided by blanks
  // Options that callers may give to every verb that takes a matrix, and that this one has no use
  // for.
  const char *idle;
  const char *examples; // a line each
  const char *done;     // what the exit status 0 says
  llvm::ArrayRef<VerbWord> words = {};
  // Of its JSON: raised when a name goes or changes its meaning, not when one is added.
  int schema = 1;
};

llvm::ArrayRef<Verb> verbs();
// Null if there is none of that name.
const Verb *findVerb(llvm::StringRef name);
const VerbWord *findWord(const Verb &verb, llvm::StringRef name);
// Of the verb, or of its word if that is not null; those that only other words have are left out.
std::vector<llvm::StringRef> optionsOf(const Verb &verb, const VerbWord *word);
bool isIdle(const Verb &verb, llvm::StringRef option);
// "--format", "-o"
std::string spelledOption(llvm::StringRef option);
// "cache size"
std::string nameOf(const Verb &verb, const VerbWord *word);

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
