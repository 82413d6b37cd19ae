// Tests what emit writes and where: each requested output goes to the requested place, whatever the
// combination of options. The compiler is the tests' own.
#include "tests/text.h"
#include "tests/tool/tool_testing.h"

using namespace tooltest;
using specmv::testing::contains;

namespace {

Outcome emit(const Strings &options) {
  Strings call = {"emit", "stencil5:n=4"};
  call.insert(call.end(), options.begin(), options.end());
  return tool(call, {{"SPECMV_CUDA_HOME=" SPECMV_FAKE_TOOLKIT}, ""});
}

// One call: "", "-" or a file for --cubin and for -o.
struct Asked {
  std::string cubin, output;
  bool ptx, json;

  Strings options() const {
    Strings out;
    if (!cubin.empty())
      out.insert(out.end(), {"--cubin", cubin});
    if (!output.empty())
      out.insert(out.end(), {"-o", output});
    if (ptx)
      out.emplace_back("--ptx");
    if (json)
      out.emplace_back("--json");
    return out;
  }
  std::string name() const {
    std::string out;
    for (const std::string &word : options())
      out += word + " ";
    return out;
  }
  // The source or PTX; if neither -o nor --ptx is given, only the cubin was requested.
  bool text() const { return cubin.empty() || ptx || !output.empty(); }
  bool main() const { return text() || json; }
  bool mainOnOutput() const { return main() && (output.empty() || output == "-"); }
};

const std::string kCubin = std::string("\177ELFloads\0", 10);

void checkDocument(const Asked &asked, const std::string &bytes, const std::string &text) {
  const llvm::json::Value json = document({0, bytes, ""});
  CHECK(find(json, "format"));
  CHECK(find(json, "params"));
  for (const char *kind : {"source", "ptx"}) {
    const bool wanted = asked.text() && asked.ptx == (std::string(kind) == "ptx");
    const llvm::json::Value *found = find(json, kind);
    CHECK((found != nullptr) == wanted);
    if (wanted && found)
      CHECK(found->getAsString()->str() == text);
  }
  CHECK((find(json, "cubin") != nullptr) == !asked.cubin.empty());
  if (!asked.cubin.empty())
    CHECK(::text(json, "cubin") == asked.cubin);
}

void checkMain(const Asked &asked, const std::string &bytes, const std::string &text) {
  if (asked.json)
    checkDocument(asked, bytes, text);
  else
    CHECK(withoutHeader(bytes) == text);
}

} // namespace

// A former bug: --cubin q -o q.cu wrote no q.cu, and --cubin - -o - wrote no source.
TEST_CASE("emit writes each thing where it was asked for, or refuses the call") {
  const std::string cubin = scratch("asked.cubin"), output = scratch("asked.text");
  const std::string source = withoutHeader(emit({}).out), ptx = emit({"--ptx"}).out;
  REQUIRE(contains(source, "specmv_kernel"));
  REQUIRE(contains(ptx, "PTX"));
  for (const std::string &cubinTo : {std::string(), std::string("-"), cubin})
    for (const std::string &outputTo : {std::string(), std::string("-"), output})
      for (bool wantsPtx : {false, true})
        for (bool json : {false, true}) {
          const Asked asked{cubinTo, outputTo, wantsPtx, json};
          const std::string call = asked.name(), &text = wantsPtx ? ptx : source;
          CAPTURE(call);
          std::filesystem::remove(cubin);
          std::filesystem::remove(output);
          const Outcome outcome = emit(asked.options());
          if (cubinTo == "-" && asked.mainOnOutput()) {
            checkRefusal(outcome, 2);
            CHECK_FALSE(std::filesystem::exists(output));
            continue;
          }
          CHECK(outcome.status == 0);
          CHECK(outcome.err == "");
          CHECK(std::filesystem::exists(cubin) == (cubinTo == cubin));
          CHECK(std::filesystem::exists(output) == (outputTo == output));
          if (cubinTo == cubin)
            CHECK(readFile(cubin) == kCubin);
          if (outputTo == output)
            checkMain(asked, readFile(output), text);
          if (cubinTo == "-")
            CHECK(outcome.out == kCubin);
          else if (asked.mainOnOutput())
            checkMain(asked, outcome.out, text);
          else
            CHECK(outcome.out == "");
        }
}

TEST_CASE("two results in one file are a bad call") {
  const std::string file = scratch("both");
  for (const Strings &options : {Strings{}, {"--ptx"}, {"--json"}}) {
    Strings call = {"--cubin", file, "-o", file};
    call.insert(call.end(), options.begin(), options.end());
    checkRefusal(emit(call), 2);
  }
  checkRefusal(tool({"analyze", "stencil5:n=4", "--signature", file, "-o", file}), 2);
  const std::filesystem::path path(file);
  const std::string other = path.parent_path().string() + "/./" + path.filename().string();
  checkRefusal(emit({"--cubin", file, "-o", other}), 2); // one file by two names
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("emit --help tells what its options do together") {
  const Outcome outcome = tool({"emit", "--help"});
  CHECK(outcome.status == 0);
  for (const char *part : {"--cubin", "only if -o or --ptx asks for it", "are refused"})
    CHECK(contains(outcome.out, part));
}
