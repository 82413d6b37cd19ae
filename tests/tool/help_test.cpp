// Tests the tool's descriptions of itself: help for each verb, options that a verb does not have,
// and suggestions for misspelt words.
#include "tests/text.h"
#include "tests/tool/tool_testing.h"

#include <regex>

using namespace tooltest;
using specmv::testing::contains;

namespace {

const std::string kVerbNames[] = {"run",       "analyze",  "report", "emit",  "bench",   "profile",
                                  "calibrate", "evaluate", "pregen", "cache", "generate"};

std::string helpOf(const Strings &words) {
  Strings call = words;
  call.insert(call.end(), {"--help"});
  const Outcome help = tool(call);
  CHECK(help.status == 0);
  CHECK(help.err == "");
  return help.out;
}

// Returns the options that a help text lists.
Strings optionsIn(const std::string &help) {
  Strings out;
  const std::regex option("^  (--?[a-z-]+)( .*)?$");
  std::smatch parts;
  for (const std::string &line : linesOf(help))
    if (std::regex_match(line, parts, option))
      out.push_back(parts[1]);
  return out;
}

bool has(const Strings &list, const std::string &word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

} // namespace

TEST_CASE("--help and --version answer on standard output") {
  const std::string help = helpOf({});
  for (const std::string &verb : kVerbNames)
    CHECK_MESSAGE(contains(help, "\n  " + verb + " "), verb);
  CHECK(tool({"help"}).out == help);
  const Outcome version = tool({"--version"});
  CHECK(version.status == 0);
  CHECK(version.err == "");
  CHECK(version.out == "specmv " SPECMV_TESTED_VERSION "\n");
}

TEST_CASE("the help of a verb has its purpose, its options, examples and exit statuses") {
  for (const std::string &verb : kVerbNames) {
    CAPTURE(verb);
    const std::string help = helpOf({verb});
    CHECK(help.rfind("specmv " + verb + ": ", 0) == 0);
    for (const char *part :
         {"\nUsage: specmv ", "\nOptions:\n", "\nExamples:\n  ", "specmv ", "\nExit status: 0: "})
      CHECK_MESSAGE(contains(help, part), std::string(part));
    CHECK(tool({"help", verb}).out == help);
    CHECK(tool({verb, "--quiet", "--help"}).out == help);
    for (const std::string &line : linesOf(help))
      CHECK_MESSAGE(line.size() <= 100, line);
  }
}

TEST_CASE("the help of a verb lists its own options only") {
  for (const char *option : {"--rigor", "--products", "--host-products", "--format", "--type",
                             "--set", "--target", "--arch", "--gpu", "--json", "--quiet", "-o"})
    CHECK_MESSAGE(has(optionsIn(helpOf({"run"})), option), std::string(option));
  CHECK(optionsIn(helpOf({"generate"})) == Strings{"--list", "--json", "-o", "--quiet", "--help"});
  CHECK(has(optionsIn(helpOf({"cache", "prune"})), "--size"));
  CHECK_FALSE(has(optionsIn(helpOf({"cache", "list"})), "--size"));
  CHECK(tool({"help", "cache", "prune"}).out == helpOf({"cache", "prune"}));
  CHECK(contains(helpOf({"bench"}), "print JSON lines"));
  CHECK(contains(helpOf({"run"}), "print one JSON document"));
  for (const std::string &verb : kVerbNames)
    CHECK(helpOf({verb}).find_first_of("{}") == std::string::npos);
}

// A former bug: pregen, which refuses the word, offered it too.
TEST_CASE("the help of --set has the word for any order only where it is taken") {
  CHECK(contains(helpOf({"analyze"}), "order=any"));
  CHECK_FALSE(contains(helpOf({"pregen"}), "order=any"));
  for (const char *word : {"values=ones", "order=bfs"})
    CHECK(contains(helpOf({"pregen"}), word));
}

TEST_CASE("an option that a verb has no use for is refused, with those that it has") {
  const std::pair<Strings, std::string> calls[] = {
      {{"cache", "size", "--format", "ell"},
       "error: 'cache size' has no option --format (run, analyze, report, emit, bench, profile, "
       "evaluate and pregen have it; options of 'cache size': --json -o --quiet)\n"},
      {{"cache", "--size=2", "list"},
       "error: 'cache list' has no option --size (cache prune has it; options of 'cache list': "
       "--json -o --quiet)\n"},
      {{"generate", "stencil5:n=4", "--type=f32", "-o", "never.mtx"},
       "error: 'generate' has no option --type (run, analyze, report, emit, bench, profile, "
       "evaluate and pregen have it; options of 'generate': --list --json -o --quiet)\n"}};
  for (const auto &[call, message] : calls) {
    const Outcome outcome = tool(call);
    checkRefusal(outcome, 2);
    CHECK(outcome.err == message);
  }
  checkRefusal(tool({"calibrate", "--format", "ell", "-o", "never.json"}), 2);
  checkRefusal(tool({"analyze", "--host-products", "3", "stencil5:n=4"}), 2);
}

TEST_CASE("a misspelt word is answered with the one that was meant") {
  const std::pair<Strings, std::string> calls[] = {
      {{"rnu", "stencil5:n=4"}, "(did you mean 'run'?)"},
      {{"analyse", "stencil5:n=4"}, "(did you mean 'analyze'?)"},
      {{"cache", "lsit"}, "(did you mean 'list'?)"},
      {{"run", "--fromat", "ell", "stencil5:n=4"}, "(did you mean --format? options of 'run': "},
      {{"run", "-json", "stencil5:n=4"}, "(did you mean --json? options of 'run': "},
      {{"run", "--format", "csr-vectr", "stencil5:n=4"}, "(did you mean 'csr-vector'?)"},
      {{"run", "--set", "ellwidth=3", "stencil5:n=4"}, "(did you mean 'ell.width'?)"},
      {{"run", "--verison", "stencil5:n=4"}, "(did you mean --version? options of 'run': "},
      {{"--verison"}, "no option --verison without a verb (did you mean '--version'?); 'specmv"},
      {{"--hlep", "run"}, "no option --hlep without a verb (did you mean '--help'?); 'specmv"},
      {{"-v"}, "there is no option -v without a verb; 'specmv --help' and 'specmv --version' need"},
      {{"--json"}, "'--json' must come after a verb, but none was given; 'specmv --help' lists"},
      {{"--type", "f32", "run", "stencil5:n=4"}, "after the verb; write 'specmv run --type ...'"},
      {{"run", "stencli5:n=4"}, "(did you mean 'stencil5'?)"},
      {{"run", "dense:rwos=4"}, "(did you mean 'rows'?)"},
      {{"run", "stencil5:n=4,coef=randm"}, "(did you mean 'random'?)"},
      {{"run", "--target", "hots", "stencil5:n=4"}, "(did you mean 'host'?)"},
      {{"run", "twin:pwkt"}, "(did you mean 'pwtk'?)"}};
  for (const auto &[call, hint] : calls) {
    const Outcome outcome = tool(call);
    checkRefusal(outcome, 2);
    CHECK_MESSAGE(contains(outcome.err, hint), outcome.err);
  }
  CHECK_FALSE(contains(tool({"frobnicate"}).err, "did you mean"));
}
