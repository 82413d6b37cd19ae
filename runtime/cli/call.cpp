// Walks the words of a call, and writes the help of the tool, of a verb, and of a word after a
// verb.
#include "runtime/cli/call.h"

#include "models/base/error.h"
#include "models/base/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace specmv::cli {

// --- Call ----------------------------------------------------------------------------------------

// Walks the words of a call, using the table of verbs.

using Words = llvm::ArrayRef<const char *>;

namespace {
// An option in the call: --set=ell.width=27 has the name set and a value.
struct GivenOption {
  llvm::StringRef spelled, name, value;
  bool hasValue;
};
} // namespace

static bool isOption(llvm::StringRef word) { return word.size() > 1 && word.starts_with("-"); }

// -o is the only one-letter option: in -oFILE the value follows directly.
static GivenOption optionIn(llvm::StringRef word) {
  if (word.starts_with("-o") && word.size() > 2 && word[2] != '=')
    return {word.take_front(2), "o", word.drop_front(2), true};
  const auto [spelled, value] = word.split('=');
  const bool isLong = spelled.starts_with("--") || spelled.size() == 2;
  return {spelled, isLong ? spelled.ltrim('-') : "", value, spelled.size() < word.size()};
}

static cl::Option *registeredFor(const Registered &r, const Verb &verb, llvm::StringRef name) {
  const auto &known = cl::getRegisteredOptions(*r.verbs[&verb - verbs().begin()]);
  const auto found = known.find(name);
  return found == known.end() ? nullptr : found->second;
}

static bool needsValue(const cl::Option *option) {
  return option && option->getValueExpectedFlag() == cl::ValueRequired;
}

// Calls f with each option after the verb, and with the index of its word.
static llvm::Error forEachOption(const Registered &r, const Verb &verb, Words words,
                                 llvm::function_ref<llvm::Error(const GivenOption &, size_t)> f) {
  for (size_t i = 0; i < words.size() && llvm::StringRef(words[i]) != "--"; ++i) {
    if (!isOption(words[i]))
      continue;
    const GivenOption given = optionIn(words[i]);
    if (llvm::Error error = f(given, i))
      return error;
    i += !given.hasValue && needsValue(registeredFor(r, verb, given.name));
  }
  return llvm::Error::success();
}

// Returns the word after the verb, if the verb takes one and the call has one.
static const VerbWord *wordIn(const Registered &r, const Verb &verb, Words words) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (!isOption(words[i]))
      return findWord(verb, words[i]);
    const GivenOption given = optionIn(words[i]);
    i += !given.hasValue && needsValue(registeredFor(r, verb, given.name));
  }
  return nullptr;
}

// --- Help

static llvm::Error unknownVerb(llvm::StringRef name) {
  return fail(Status::badCall, "unknown verb '{0}'{1}; 'specmv --help' lists the verbs", name,
              meantBy(name, namesIn(verbs())));
}

static bool isHelp(llvm::StringRef word) { return word == "--help" || word == "-h"; }

// Returns true if --help is among the options, and not the value of another option.
static bool asksForHelp(const Registered &r, const Verb &verb, Words words) {
  bool asks = false;
  llvm::cantFail(forEachOption(r, verb, words, [&](const GivenOption &, size_t i) {
    asks = asks || isHelp(words[i]);
    return llvm::Error::success();
  }));
  return asks;
}

llvm::Expected<std::optional<std::string>> helpIn(const Registered &r, int argc,
                                                  const char *const *argv) {
  Words words(argv, static_cast<size_t>(argc));
  words = words.drop_front(std::min<size_t>(1, words.size()));
  const bool isVerbHelp = !words.empty() && llvm::StringRef(words[0]) == "help";
  if (isVerbHelp)
    words = words.drop_front();
  if (words.empty() || isHelp(words[0]))
    return isVerbHelp || !words.empty() ? std::optional(toolHelp()) : std::nullopt;
  const Verb *verb = findVerb(words[0]);
  if (!verb)
    return isVerbHelp ? llvm::Expected<std::optional<std::string>>(unknownVerb(words[0]))
                      : std::nullopt;
  words = words.drop_front();
  if (!isVerbHelp && !asksForHelp(r, *verb, words))
    return std::nullopt;
  return verbHelp(r, *verb, wordIn(r, *verb, words));
}

// --- Refusals

static std::string listed(const std::vector<llvm::StringRef> &options) {
  std::string out;
  for (const llvm::StringRef name : options)
    out += (out.empty() ? "" : " ") + spelledOption(name);
  return out;
}

// Returns "run, analyze and emit have it; ", or what an option that no verb has may mean.
static std::string hintFor(const GivenOption &given, const std::vector<llvm::StringRef> &options) {
  const std::vector<std::string> takers = takersOf(given.name);
  if (!takers.empty()) {
    const std::string before = llvm::join(llvm::ArrayRef(takers).drop_back(), ", ");
    return llvm::formatv("{0}{1}{2} {3} it; ", before, before.empty() ? "" : " and ", takers.back(),
                         takers.size() == 1 ? "has" : "have");
  }
  std::vector<llvm::StringRef> known = options;
  known.insert(known.end(), {"help", "version"});
  const llvm::StringRef nearest = nearestTo(given.spelled.ltrim('-'), known);
  return nearest.empty() ? "" : "did you mean " + spelledOption(nearest) + "? ";
}

static bool isGeneral(llvm::StringRef name) {
  return name == "help" || name == "version" || name == "h";
}

static llvm::Error checkOption(const Registered &r, const Verb &verb, const VerbWord *word,
                               const GivenOption &given, bool isLast) {
  const std::vector<llvm::StringRef> taken = optionsOf(verb, word);
  if (!llvm::is_contained(taken, given.name) && !isGeneral(given.name))
    return fail(Status::badCall, "'{0}' has no option {1} ({2}options of '{0}': {3})",
                nameOf(verb, word), given.spelled, hintFor(given, taken), listed(taken));
  const bool wanted = needsValue(registeredFor(r, verb, given.name));
  if (given.hasValue && !wanted)
    return fail(Status::badCall, "{0} takes no value, but '{1}' was given", given.spelled,
                given.value);
  if (!given.hasValue && wanted && isLast)
    return fail(Status::badCall, "{0} needs a value", given.spelled);
  return llvm::Error::success();
}

static llvm::Error checkWithoutVerb(Words words) {
  if (words.empty())
    return fail(Status::badCall, "no verb was given; 'specmv --help' lists the verbs");
  if (!isOption(words[0]))
    return unknownVerb(words[0]);
  if (llvm::StringRef(words[0]) == "--version")
    return llvm::Error::success();
  if (llvm::StringRef(words[0]).starts_with("--version="))
    return fail(Status::badCall, "--version takes no value, but '{0}' was given",
                optionIn(words[0]).value);
  const GivenOption given = optionIn(words[0]);
  const auto *const verb =
      llvm::find_if(words, [](const char *word) { return findVerb(word) != nullptr; });
  if (verb != words.end() && llvm::is_contained(optionsOf(*findVerb(*verb), nullptr), given.name))
    return fail(Status::badCall, "'{0}' must come after the verb; write 'specmv {1} {0} ...'",
                words[0], *verb);
  if (verb == words.end() && !takersOf(given.name).empty())
    return fail(Status::badCall,
                "'{0}' must come after a verb, but none was given; 'specmv --help' lists the verbs",
                words[0]);
  return fail(
      Status::badCall,
      "there is no option {0} without a verb{1}; 'specmv --help' and 'specmv --version' need "
      "none",
      given.spelled, meantBy(given.spelled, {"--help", "--version"}));
}

llvm::Error checkCallWords(const Registered &r, int argc, const char *const *argv) {
  Words words(argv, static_cast<size_t>(argc));
  words = words.drop_front(std::min<size_t>(1, words.size()));
  const Verb *verb = words.empty() ? nullptr : findVerb(words[0]);
  if (!verb)
    return checkWithoutVerb(words);
  words = words.drop_front();
  const VerbWord *word = wordIn(r, *verb, words);
  return forEachOption(r, *verb, words, [&](const GivenOption &given, size_t i) {
    return checkOption(r, *verb, word, given, i + 1 == words.size());
  });
}

// --- The call itself

static bool isPlain(char c) {
  return llvm::isAlnum(c) || llvm::StringRef("_-+=:,./@%").contains(c);
}

// Quotes a word if a shell would split or expand it.
static std::string quotedForShell(llvm::StringRef word) {
  if (!word.empty() && llvm::all_of(word, isPlain))
    return word.str();
  std::string out = "'";
  for (const char c : word)
    out += c == '\'' ? "'\\''" : c == '\n' ? "\\x0a" : std::string(1, c);
  return out + "'";
}

std::string callText(int argc, const char *const *argv) {
  std::string out = "specmv";
  for (int i = 1; i < argc; ++i)
    out += " " + quotedForShell(argv[i]);
  return out;
}

// --- Help ----------------------------------------------------------------------------------------

// Writes the help of the tool, of a verb, and of a word after a verb.

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
