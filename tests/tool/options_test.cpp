// Tests each verb with each option of the tool: it refuses those that it does not have, with the
// verbs that have them, and those that it has change what it does.
#include "tests/text.h"
#include "tests/tool/tool_testing.h"

#include <map>
#include <regex>

using namespace tooltest;
using specmv::testing::contains;

namespace {

using OptionsOfVerb = std::map<std::string, bool>; // the name, and whether it takes a value

const Strings kVerbs = {"run",       "analyze",  "report", "emit",  "bench",   "profile",
                        "calibrate", "evaluate", "pregen", "cache", "generate"};

const std::map<std::string, OptionsOfVerb> &optionsOfAll() {
  static const auto all = [] {
    std::map<std::string, OptionsOfVerb> out;
    const std::regex option("^  (--?[a-z-]+)( .*)?$");
    std::smatch parts;
    for (const std::string &verb : kVerbs)
      for (const std::string &line : linesOf(tool({verb, "--help"}).out))
        if (std::regex_match(line, parts, option) && parts[1] != "--help")
          out[verb][parts[1]] = parts[2].matched && parts[2].str().find_first_not_of(' ') == 1;
    return out;
  }();
  return all;
}

// Returns "run, report and bench have it".
std::string takersOf(const std::string &option) {
  Strings takers;
  for (const std::string &verb : kVerbs)
    if (optionsOfAll().at(verb).contains(option))
      takers.push_back(verb);
  std::string out;
  for (size_t i = 0; i < takers.size(); ++i)
    out += (i == 0 ? "" : i + 1 < takers.size() ? ", " : " and ") + takers[i];
  return out + (takers.size() == 1 ? " has it; " : " have it; ");
}

} // namespace

// A former bug: most verbs took the options of others, and did nothing with them.
TEST_CASE("a verb refuses each option of the others, and names the verbs that have it") {
  OptionsOfVerb every;
  for (const auto &[verb, options] : optionsOfAll())
    every.insert(options.begin(), options.end());
  CHECK(every.size() > 40);
  size_t refused = 0;
  for (const std::string &verb : kVerbs)
    for (const auto &[option, takesValue] : every) {
      if (optionsOfAll().at(verb).contains(option))
        continue;
      Strings call = {verb, "stencil5:n=4", option};
      if (takesValue)
        call.emplace_back("5");
      const Outcome outcome = tool(call);
      CAPTURE(outcome.err);
      checkRefusal(outcome, 2);
      CHECK(contains(outcome.err, "'" + verb + "' has no option " + option + " ("));
      if (option != "--size" && option != "--transpose") // words of cache are named
        CHECK(contains(outcome.err, takersOf(option)));
      ++refused;
    }
  CHECK(refused > 200);
}

TEST_CASE("a word of cache refuses an option of another, and names the words that have it") {
  CHECK(contains(tool({"cache", "list", "--size", "3"}).err, "(cache prune has it; "));
  CHECK(
      contains(tool({"cache", "prune", "--transpose"}).err, "(pregen and cache forget have it; "));
}

namespace {

// A call without the option, and what the option is given with.
struct Use {
  Strings base, with;
};

// All that a call does that does not depend on the clock. Times are fractions; analyze has none
// that are measured.
std::string effectOf(const Strings &call) {
  static const std::regex kTimes("[0-9.]+ (us|ms|s)\\b|[0-9.]+ [kMG]?B/s|[0-9]+[.][0-9.e+-]+");
  std::filesystem::remove_all(scratch("made"));
  std::filesystem::create_directory(scratch("made"));
  const Outcome outcome = tool(call);
  std::string out = std::to_string(outcome.status) + outcome.out + outcome.err;
  for (const auto &file : std::filesystem::directory_iterator(scratch("made")))
    out += file.path().filename().string() + readFile(file.path());
  return call[0] == "run" ? std::regex_replace(out, kTimes, "TIME") : out;
}

// The words that an option is tried with; a row of its own where a verb needs others.
Use useOf(const std::string &verb, const std::string &option, const std::string &made) {
  static const std::map<std::string, Strings> kWords = {
      {"--format", {"ell"}},         {"--type", {"f32"}},      {"--set", {"values=ones"}},
      {"--products", {"5"}},         {"--vectors", {"2"}},     {"--start", {"now"}},
      {"--target", {"gpu"}},         {"--arch", {"sm_80"}},    {"--gpu", {"none.json"}},
      {"--device", {"3"}},           {"--rigor", {"measure"}}, {"--plan", {"csr-scalar block=128"}},
      {"--with", {"doubleVectors"}}, {"--suite", {"quick"}}};
  Use use{{verb, "powerlaw:rows=300,avg=5"}, {option}};
  if (const auto words = kWords.find(option); words != kWords.end())
    use.with.insert(use.with.end(), words->second.begin(), words->second.end());
  if (option == "-o" || option == "--signature" || option == "--cubin" || option == "--standalone")
    use.with = option == "--standalone" ? Strings{option, "-o", made + "/x.cu"}
                                        : Strings{option, made + "/result"};
  return use;
}

void checkEffect(const Use &use) {
  Strings call = use.base;
  tool(call); // which may compile a kernel, and remembers its choice
  const std::string before = effectOf(call);
  std::string line;
  call.insert(call.end(), use.with.begin(), use.with.end());
  for (const std::string &word : call)
    line += word + " ";
  CAPTURE(line);
  if (use.base[0] != "run" || use.base.back() == "--json") // otherwise the next line could not fail
    CHECK(before == effectOf(use.base));
  CHECK(before != effectOf(call));
}

} // namespace

TEST_CASE("each option that a verb has changes what it does" * doctest::test_suite("compile")) {
  if (!compiles())
    return;
  const std::string made = scratch("made");
  size_t tried = 0;
  for (const std::string verb : {"run", "analyze", "emit"})
    for (const auto &[option, takesValue] : optionsOfAll().at(verb)) {
      if (option == "--host-products") // only times change
        continue;
      Use use = useOf(verb, option, made);
      if (option == "--set" || option == "--beta-is-zero")
        use.base[1] = "stencil5:n=30,coef=constant";
      const bool isQuiet = option == "--quiet"; // about another GPU's rates, or a program's files
      if (isQuiet && verb == "emit")
        use.base.insert(use.base.end(), {"--standalone", "-o", made + "/y.cu"});
      else if (isQuiet)
        use.base.insert(use.base.end(), {"--arch", "sm_80"});
      if (option == "--only-packs" && verb == "analyze")
        use.base = {verb, "stencil5:n=1000,coef=constant", "--set", "values=any"};
      if (option != "--json" && verb == "run") // whose text leaves out stages that take little time
        use.base.emplace_back("--json");
      checkEffect(use);
      ++tried;
    }
  CHECK(tried > 40);
}
