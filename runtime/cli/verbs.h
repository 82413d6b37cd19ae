// Lists the verbs of the tool in one table: what each does, its arguments and its options. Parsing,
// refusals and help follow from it.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace specmv::cli {

struct Options;

// A word after a verb, such as list after cache.
struct VerbWord {
  const char *name;
  const char *arguments;
  const char *purpose;
  const char *options = ""; // options of the verb that only this word has
};

struct Verb {
  const char *name;
  const char *arguments;
  const char *purpose;
  llvm::Error (*run)(const Options &);
  const char *options;  // each has an effect; in the order of its help, separated by blanks
  const char *examples; // one per line
  const char *done;     // the meaning of exit status 0
  // Names what works without a GPU, for the error of a call that asks for one where there is none.
  const char *withoutGpu = "";
  llvm::ArrayRef<VerbWord> words = {};
  // The version of its JSON. It is raised when a name is removed or changes its meaning, not when
  // one is added.
  int schema = 1;
};

llvm::ArrayRef<Verb> verbs();
// Returns null if there is none of that name.
const Verb *findVerb(llvm::StringRef name);
const VerbWord *findWord(const Verb &verb, llvm::StringRef name);
// Returns the options of the verb, or of its word if that is not null; options of other words are
// left out.
std::vector<llvm::StringRef> optionsOf(const Verb &verb, const VerbWord *word);
// Returns the names of the verbs that have this option; of a verb's words, if only some have it.
std::vector<std::string> takersOf(llvm::StringRef option);
// Returns "--format" or "-o".
std::string spelledOption(llvm::StringRef option);
// Returns "cache size".
std::string nameOf(const Verb &verb, const VerbWord *word);

llvm::Error runVerb(const Options &options);
llvm::Error analyzeVerb(const Options &options);
llvm::Error reportVerb(const Options &options);
llvm::Error emitVerb(const Options &options);
llvm::Error benchVerb(const Options &options);
llvm::Error cacheVerb(const Options &options);
llvm::Error calibrateVerb(const Options &options);
llvm::Error evaluateVerb(const Options &options);
llvm::Error profileVerb(const Options &options);
llvm::Error pregenVerb(const Options &options);
llvm::Error generateVerb(const Options &options);

} // namespace specmv::cli
