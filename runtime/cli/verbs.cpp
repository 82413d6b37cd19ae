// The table of verbs, and looking things up in it.
#include "runtime/cli/verbs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace specmv::cli {

static constexpr VerbWord kCacheHelp[] = {
    {"list", "", "an entry a line: kind, id, architecture, bytes, time since its use, format"},
    {"size", "", "bytes, entries, and the limit of the bytes (bound)"},
    {"verify", "",
     "read all entries of your folder, of the packs and folders of SPECMV_CACHE_PATH, and of the "
     "standard pack"},
    {"prune", "[BYTES]",
     "remove the entries not used for longest, until the limit or BYTES are left", "size"},
    {"clear", "", "remove all entries"},
    {"forget", "MATRIX",
     "remove the choices for a matrix, a SPEC or a file of 'analyze --signature'", "transpose"},
    {"export", "FILE", "write all compiled kernels as a pack"},
    {"import", "FILE", "put the entries of a pack into your cache"},
    {"path", "", "your folder, then the read-only packs and folders"},
};

constexpr const char *kToHost = "leave out --target gpu and --device to multiply on the host";
constexpr const char *kToPredict =
    "leave out --target gpu and --device to predict for another machine's GPU";
constexpr const char *kAnalyze = "'specmv analyze' predicts times without a GPU";

static constexpr Verb kVerbs[] = {
    {"run", "A", "make a kernel for the matrix A, multiply, verify, compare with cuSPARSE", runVerb,
     "format type set plan rigor products vectors start target arch gpu device beta-is-zero "
     "only-packs host-products json o quiet",
     "specmv run cant.mtx\n"
     "specmv run stencil5:n=1000 --type f32 --rigor measure\n"
     "specmv run cant.mtx --vectors 8\n",
     "the product was verified", kToHost},
    {"analyze", "A", "describe the matrix, predict the time of each plan, and show the choice",
     analyzeVerb,
     "why all format type set products vectors target arch gpu device signature only-packs json o "
     "quiet",
     "specmv analyze --why cant.mtx\n"
     "specmv analyze --all cant.mtx\n"
     "specmv analyze stencil5:n=1000 --arch sm_80\n",
     "done", kToPredict},
    {"report", "A|FILE.jsonl",
     "write a page with pictures: a matrix and its plans, or what bench measured", reportVerb,
     "format type set rigor products target arch gpu device beta-is-zero only-packs o quiet",
     "specmv report cant.mtx -o cant.html\n"
     "specmv report stencil27:n=100 --type f32 --target host -o stencil.html\n"
     "specmv report bench.jsonl -o bench.html\n",
     "the page was written, and all products are right", kToPredict},
    {"emit", "A", "print the CUDA source of the chosen kernel, or write its PTX or cubin", emitVerb,
     "format type set plan products vectors target arch gpu device beta-is-zero ptx cubin "
     "standalone json o quiet",
     "specmv emit cant.mtx -o cant.cu\n"
     "specmv emit cant.mtx --format sell --cubin cant.cubin\n"
     "specmv emit cant.mtx --standalone -o cant.cu\n",
     "done", kToPredict},
    {"bench", "A...", "time all formats and all algorithms of cuSPARSE on the GPU", benchVerb,
     "suite setup states from resume format type set rigor vectors target arch gpu device "
     "beta-is-zero only-packs json o quiet",
     "specmv bench cant.mtx pwtk.mtx\n"
     "specmv bench --suite quick --json --resume quick.jsonl\n"
     "specmv bench --setup cant.mtx\n",
     "all was measured, and all products are right", kAnalyze},
    {"profile", "A", "show features, times and hardware counters of each format on the GPU",
     profileVerb, "format type set target arch gpu device beta-is-zero only-packs json o quiet",
     "specmv profile cant.mtx\n"
     "specmv profile cant.mtx --format sell,csr-vector --json -o cant.json\n",
     "done", kAnalyze},
    {"calibrate", "", "measure this GPU and write the model that predicts for it", calibrateVerb,
     "keep papers part resume measured gpu device arch only-packs o quiet",
     "specmv calibrate --keep\n"
     "specmv calibrate -o my.json\n"
     "specmv calibrate --measured my.json.jsonl -o my.json\n"
     "specmv calibrate --papers full --part 1/4 --resume first.jsonl\n",
     "the model was written",
     "'specmv calibrate --measured FILE' fits a model to earlier measurements without a GPU"},
    {"evaluate", "A...",
     "compare predicted with measured times, and show the cost of wrong choices", evaluateVerb,
     "suite resume measured left-out reading law papers format type set rigor target arch gpu "
     "device beta-is-zero only-packs json o quiet",
     "specmv evaluate cant.mtx --rigor measure\n"
     "specmv evaluate --measured my.json.jsonl --gpu my.json\n",
     "all was measured, and all products are right",
     "'specmv evaluate --measured FILE' judges earlier measurements without a GPU"},
    {"pregen", "A...", "compile the kernels of matrices into a file, without a GPU", pregenVerb,
     "standard coverage format type set plan vectors with transpose target arch gpu device "
     "beta-is-zero json o quiet",
     "specmv pregen cant.mtx -o cant.pack --arch sm_80,sm_90\n"
     "specmv pregen cant.mtx -o cant.pack --vectors 1,8 --with scalarsOnGpu\n"
     "specmv pregen --coverage cant.pack other.mtx\n",
     "done"},
    {"cache", "WORD", "list, limit, check and move compiled kernels and choices", cacheVerb,
     "size transpose json o quiet",
     "specmv cache list --json\n"
     "specmv cache prune 200M\n"
     "specmv cache forget A.mtx\n"
     "specmv cache export site.pack\n"
     "SPECMV_CACHE_PATH=site.pack specmv run A.mtx\n"
     "SPECMV_CACHE_DIR=/site/kernels specmv cache verify\n",
     "done, and no entry is bad", "", kCacheHelp},
    {"generate", "SPEC", "write a matrix of a family as a Matrix Market file", generateVerb,
     "list json o quiet",
     "specmv generate stencil5:n=100 -o A.mtx\n"
     "specmv generate --list\n",
     "done"},
};

llvm::ArrayRef<Verb> verbs() { return kVerbs; }

const Verb *findVerb(llvm::StringRef name) {
  const auto *const found = llvm::find_if(kVerbs, [&](const Verb &v) { return name == v.name; });
  return found == std::end(kVerbs) ? nullptr : found;
}

const VerbWord *findWord(const Verb &verb, llvm::StringRef name) {
  const auto *const found =
      llvm::find_if(verb.words, [&](const VerbWord &w) { return name == w.name; });
  return found == verb.words.end() ? nullptr : found;
}

static std::vector<llvm::StringRef> partsOf(const char *text) {
  llvm::SmallVector<llvm::StringRef, 24> parts;
  llvm::StringRef(text).split(parts, ' ', -1, /*KeepEmpty=*/false);
  return {parts.begin(), parts.end()};
}

std::vector<llvm::StringRef> optionsOf(const Verb &verb, const VerbWord *word) {
  std::vector<llvm::StringRef> out = partsOf(verb.options);
  if (!word)
    return out;
  for (const VerbWord &other : verb.words)
    for (const llvm::StringRef option : partsOf(other.options))
      if (&other != word)
        llvm::erase(out, option);
  return out;
}

std::vector<std::string> takersOf(llvm::StringRef option) {
  std::vector<std::string> out;
  for (const Verb &verb : kVerbs) {
    const auto takes = [&](const VerbWord *word) {
      return llvm::is_contained(optionsOf(verb, word), option);
    };
    if (!takes(nullptr))
      continue;
    if (llvm::all_of(verb.words, [&](const VerbWord &word) { return takes(&word); }))
      out.push_back(nameOf(verb, nullptr));
    else
      for (const VerbWord &word : verb.words)
        if (takes(&word))
          out.push_back(nameOf(verb, &word));
  }
  return out;
}

std::string spelledOption(llvm::StringRef option) {
  return (option.size() == 1 ? "-" : "--") + option.str();
}

std::string nameOf(const Verb &verb, const VerbWord *word) {
  return word ? std::string(verb.name) + " " + word->name : verb.name;
}

} // namespace specmv::cli
