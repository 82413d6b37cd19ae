// Writes the help of the tool, of a verb, and of a word after a verb.
#include "runtime/cli/help.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv::cli {

// Lines of help fit a terminal of 100 columns.
constexpr size_t kWidth = 98;
constexpr size_t kOptionColumn = 24;

// Wraps `text` into lines that begin in this column. The first line already has `begun` characters.
static std::string wrapped(llvm::StringRef text, size_t column, size_t begun) {
  std::string out(begun < column ? column - begun : 0, ' ');
  size_t at = std::max(begun, column);
  const std::string next = "\n" + std::string(column, ' ');
  if (begun >= column && column > 0)
    out = next, at = column;
  const char *blank = "";
  for (const llvm::StringRef word : llvm::split(text, ' ')) {
    if (at + 1 + word.size() > kWidth)
      out += next, at = column, blank = "";
    out += blank + word.str();
    at += word.size() + (*blank ? 1 : 0);
    blank = " ";
  }
  return out + "\n";
}

// Returns the text for this verb: "{bench,evaluate:JSON lines}" appears for these two verbs only.
static std::string forVerb(const Verb &verb, llvm::StringRef text) {
  std::string out;
  while (!text.empty()) {
    const auto [common, rest] = text.split('{');
    const auto [special, after] = rest.split('}');
    const auto [names, words] = special.split(':');
    out += common;
    if (llvm::is_contained(llvm::split(names, ','), llvm::StringRef(verb.name)))
      out += words;
    text = after;
  }
  return out;
}

static std::string optionLines(const Verb &verb, llvm::StringRef name, const cl::Option &option) {
  std::string head = "  " + spelledOption(name);
  if (!option.ValueStr.empty())
    head += " " + option.ValueStr.str();
  return head + wrapped(forVerb(verb, option.HelpStr), kOptionColumn, head.size());
}

static std::string optionsText(const Registered &r, const Verb &verb, const VerbWord *word) {
  const auto &known = cl::getRegisteredOptions(*r.verbs[&verb - verbs().begin()]);
  std::string out = "\nOptions:\n";
  for (const llvm::StringRef name : optionsOf(verb, word))
    if (const auto found = known.find(name); found != known.end())
      out += optionLines(verb, name, *found->second);
  return out + "  --help" + wrapped("this help; --version prints the version", kOptionColumn, 8);
}

static std::string argumentsText(const Verb &verb) {
  if (!llvm::StringRef(verb.arguments).starts_with("A"))
    return "";
  const bool takesBench = llvm::StringRef(verb.arguments).contains("FILE.jsonl");
  return std::string("\nA is a Matrix Market file (.mtx, .mtx.gz) or the SPEC of a generated "
                     "matrix, such as\n"
                     "stencil5:n=1000; 'specmv generate --list' lists them.\n") +
         (takesBench
              ? "FILE.jsonl (or .jsonl.gz) is what 'specmv bench --json' wrote.\n"
                "On a GPU the best plan of each format and cuSPARSE are timed for the page; with\n"
                "--rigor measure all plans are, as bench does, and with --target host nothing.\n"
              : "");
}

static std::string wordsText(const Verb &verb) {
  std::string out;
  for (const VerbWord &word : verb.words) {
    const std::string head = llvm::formatv("  {0} {1}", word.name, word.arguments);
    out += head + wrapped(word.purpose, kOptionColumn, head.size());
  }
  return out.empty() ? out : "\nWORD is one of:\n" + out;
}

// Returns the verb's examples, or only those with the word if one is given.
static std::string examplesText(const Verb &verb, const VerbWord *word) {
  std::string out;
  for (const llvm::StringRef line : llvm::split(verb.examples, '\n'))
    if (!line.empty() && (!word || line.contains(nameOf(verb, word))))
      out += "  " + line.str() + "\n";
  return out.empty() ? out : "\nExamples:\n" + out;
}

static std::string statusText(const char *done) {
  const std::string text =
      llvm::formatv("Exit status: 0: {0}; 1: the input or a result is bad; 2: "
                    "the call is bad; 3: the machine lacks what was asked for.",
                    done);
  return "\n" + wrapped(text, 0, 0);
}

std::string verbHelp(const Registered &r, const Verb &verb, const VerbWord *word) {
  const char *arguments = word ? word->arguments : verb.arguments;
  return llvm::formatv("specmv {0}: {1}\n\nUsage: specmv {0} [options]{2}{3}\n", nameOf(verb, word),
                       word ? word->purpose : verb.purpose, *arguments ? " " : "", arguments)
             .str() +
         argumentsText(verb) + (word ? "" : wordsText(verb)) + optionsText(r, verb, word) +
         examplesText(verb, word) + statusText(verb.done);
}

std::string toolHelp() {
  std::string out =
      "specmv: a GPU kernel for y = alpha A x + beta y, made for the sparsity of A\n\n"
      "Usage: specmv VERB [options] [arguments]\n\nVerbs:\n";
  for (const Verb &verb : verbs()) {
    const std::string head = llvm::formatv("  {0} {1}", verb.name, verb.arguments);
    out += head + wrapped(verb.purpose, kOptionColumn, head.size());
  }
  return out +
         "\n'specmv VERB --help' shows the options of a verb, and examples. 'specmv --version' "
         "prints the\nversion.\n\nExamples:\n"
         "  specmv run stencil5:n=1000\n"
         "  specmv analyze --why cant.mtx\n" +
         statusText("done and verified");
}

} // namespace specmv::cli
