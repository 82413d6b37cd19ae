// Tests that the tool outputs no byte that a terminal interprets, whatever its origin.
#include "runtime/cli/report.h"
#include "tests/text.h"
#include "tests/tool/tool_testing.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

using namespace tooltest;
using specmv::cli::forTerminal;
using specmv::cli::rememberGiven;
using specmv::testing::contains;

namespace {

const std::string kOdd = "a\x1b[31m\nerror: planted\x7f\xff\xc2\x9b";
const std::string kShown = "a\\x1b[31m\\x0aerror: planted\\x7f\\xff\\xc2\\x9b";

// Returns true if all bytes are printable ASCII or line ends.
bool isPlain(const std::string &text) {
  return llvm::all_of(text, [](char c) { return c == '\n' || llvm::isPrint(c); });
}

void checkShown(const Strings &call, const Setting &setting = {}) {
  const Outcome outcome = tool(call, setting);
  CAPTURE(call.front());
  CAPTURE(outcome.err);
  CHECK(isPlain(outcome.err));
  CHECK(isPlain(outcome.out));
  CHECK_FALSE(contains(outcome.err, "\nerror: planted"));
  CHECK(contains(outcome.err + outcome.out, "\\x1b[31m"));
}

} // namespace

TEST_CASE("what a terminal obeys is escaped, and nothing else") {
  rememberGiven(0, nullptr);
  const std::string plain = "tab\tline\nend \\x1b ~ \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80";
  CHECK(forTerminal(plain) == plain);
  CHECK(forTerminal("") == "");
  CHECK(forTerminal(llvm::StringRef("\0\r\b\x1b\x7f", 5)) == "\\x00\\x0d\\x08\\x1b\\x7f");
  CHECK(forTerminal("\xc2\x9b \xc2\xa0") == "\\xc2\\x9b \xc2\xa0");
  CHECK(forTerminal("\xe2\x80\xae\xe2\x80\xaf\xe2\x81\xa6") ==
        "\\xe2\\x80\\xae\xe2\x80\xaf\\xe2\\x81\\xa6");
  // invalid UTF-8: cut off, overlong, a surrogate, beyond the last code point
  CHECK(forTerminal("\xc3") == "\\xc3");
  CHECK(forTerminal("\xc0\xaf") == "\\xc0\\xaf");
  CHECK(forTerminal("\xed\xa0\x80") == "\\xed\\xa0\\x80");
  CHECK(forTerminal("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
}

TEST_CASE("line ends of what was given are escaped, also in a part of it; others stay") {
  const char *const arguments[] = {"tool", "/folder/one\ntwo.mtx", "n=\n3"};
  rememberGiven(3, arguments);
  CHECK(forTerminal("/folder/one\ntwo.mtx:3:1: error: x\n1 1\n^") ==
        "/folder/one\\x0atwo.mtx:3:1: error: x\n1 1\n^");
  CHECK(forTerminal("matrix one\ntwo: 3\nnext") == "matrix one\\x0atwo: 3\nnext");
  CHECK(forTerminal("n=\n3") == "n=\\x0a3");
  // A former bug: lines were joined if one character beside the line end was that of an argument.
  CHECK(forTerminal("signature 17e\ntwo") == "signature 17e\ntwo");
  CHECK(forTerminal("phone\nthree") == "phone\nthree");
  CHECK(forTerminal("bone\ntwo") == "bone\ntwo");
  rememberGiven(0, nullptr);
}

TEST_CASE("names and values of the call come out escaped, in errors, warnings and texts") {
  const std::string text = "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1e300\n";
  const std::string folder = scratch("terminal");
  std::filesystem::create_directories(folder);
  const std::string file = folder + "/" + kOdd + ".mtx", none = folder + "/none" + kOdd + ".mtx";
  writeFile(file, text);
  checkShown({"analyze", none});
  checkShown({"analyze", "stencil5:n=" + kOdd});
  checkShown({"analyze", kOdd});
  checkShown({kOdd});
  checkShown({"run", "stencil5:n=4", "--rigor", kOdd});
  checkShown({"analyze", "stencil5:n=4", "--" + kOdd});
  checkShown({"analyze", "stencil5:n=4", "--set", kOdd});
  checkShown({"analyze", "stencil5:n=4", "--gpu", kOdd});
  checkShown({"analyze", "stencil5:n=4"}, {{"SPECMV_LOG=" + kOdd}, ""});
  checkShown({"analyze", file, "--type", "f32", "--format", "csr-vector"});
  checkShown({"generate", "stencil5:n=4", "-o", folder + "/" + kOdd});
  checkShown({"generate", "stencil5:n=4", "-o", folder + "/none/" + kOdd});
  const Outcome json = tool({"analyze", "--json", file});
  CHECK(text == readFile(file));
  CHECK(contains(tooltest::text(document(json), "matrix.name"), "a\x1b[31m\nerror: planted"));
  CHECK(contains(tool({"analyze", file}).out, kShown + ": 2 x 2"));
}

TEST_CASE("what stands in a file comes out without control bytes") {
  const std::string bad = fileOf("bad.mtx", "%%MatrixMarket matrix coordinate real " + kOdd + "\n");
  CHECK(isPlain(tool({"analyze", bad}).err));
  const std::string model = fileOf("model.json", "{\"na\\u001bme\": \"\x1b[31m\"}");
  CHECK(isPlain(tool({"analyze", "stencil5:n=4", "--gpu", model}).err));
  const std::string measured = fileOf("measured.json", "{\"a\": \x1b[31m\"}\n");
  CHECK(isPlain(tool({"evaluate", "--measured", measured}).err));
}

// A former bug: a name in a file planted a line of its own.
TEST_CASE("a name in a file that holds a line end stays on the line where it is told") {
  const auto checkPlanted = [](const Strings &call) {
    const Outcome outcome = tool(call);
    const std::string all = outcome.err + outcome.out;
    CHECK_MESSAGE(contains(all, "x\\x0aerror: planted"), all);
    CHECK_MESSAGE(!contains(all, "\nerror: planted"), all);
  };
  const std::string odd = "x\\nerror: planted"; // as JSON writes it
  const std::string model = readFile(SPECMV_SOURCE_DIR "/models/gpus/h200.json");
  const auto checkModel = [&](const std::string &after, const std::string &more) {
    std::string text = model;
    const size_t at = text.find(after);
    REQUIRE(at != std::string::npos);
    text.insert(at + after.size(), more);
    checkPlanted({"analyze", "stencil5:n=4", "--gpu", fileOf("planted.json", text)});
  };
  checkModel("{", "\"" + odd + "\": 1,");
  checkModel("\"rates\": {", "\"" + odd + "\": 1,");
  checkModel("\"rates\": {", "\"" + odd + "\": {\"a\": {\"value\": 1, \"source\": \"b\"}},");
  checkModel("\"benchmarks\": {", "\"" + odd + "\": 1,");
  checkModel("\"curves\": {", "\"" + odd + "\": 1,");
  const auto measured = [&](const std::string &machine, const std::string &matrix) {
    return fileOf("planted.jsonl",
                  R"({"machine":")" + machine + "\"}\n" + R"({"matrix":")" + matrix +
                      R"(","type":"f64","format":"csr-scalar","plans":[{"params":{"block":256,)"
                      R"("offset":32,"column":32},"us":2}]})"
                      "\n"
                      R"({"matrix":")" +
                      matrix +
                      R"(","type":"f64","rows":9,"cols":9,"nnz":9,"summary":true})"
                      "\n");
  };
  checkPlanted({"evaluate", "--measured", measured("NVIDIA H200", odd)});
  checkPlanted({"evaluate", "--measured", measured(odd, "diagonal:n=9")});
  checkPlanted(
      {"calibrate", "--measured", measured(odd, "diagonal:n=9"), "-o", scratch("no.json")});
}
