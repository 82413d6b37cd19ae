// Tests the tool's calls: its exit statuses, and that every word on standard error belongs to a
// message.
#include "tests/gpu_present.h"
#include "tests/tool/tool_testing.h"

#include <regex>

using namespace tooltest;

namespace {

const std::string kBad = "%%MatrixMarket matrix coordinate real general\n"
                         "3 3 2\n1 1 1.0\n4 2 2.0\n";

} // namespace

TEST_CASE("SPECMV_LOG says how much is told, and --quiet leaves out the notes") {
  const Strings run = {"run", "--target", "host", "stencil5:n=4"};
  const auto saying = [&](const char *level) {
    return tool(run, {.environment = {std::string("SPECMV_LOG=") + level}, .out = ""});
  };
  const int usual = messages(tool(run), "note");
  CHECK(usual > 0);
  CHECK(messages(saying("info"), "note") == usual);
  CHECK(messages(saying("debug"), "note") > usual);
  CHECK(messages(saying("warning"), "note") == 0);
  CHECK(messages(saying("error"), "note") == 0);
  const Outcome loud = saying("loud");
  CHECK(loud.status == 0);
  CHECK(loud.err.find("'loud'") != std::string::npos);
  CHECK(messages(loud, "warning") > messages(saying("info"), "warning"));
  CHECK(messages(tool({"run", "--target", "host", "--quiet", "stencil5:n=4"}), "note") == 0);
}

TEST_CASE("two types give two results: texts one after another, or one document") {
  const Outcome texts = tool({"run", "--target", "host", "--type", "f32,f64", "stencil5:n=4"});
  CHECK(texts.status == 0);
  CHECK(texts.out.find(", f32\n") < texts.out.find(", f64\n"));
  CHECK(texts.out.find(", f64\n") != std::string::npos);
  for (const char *verb : {"run", "analyze"}) {
    const auto json =
        document(tool({verb, "--target", "host", "--json", "--type", "f32,f64", "stencil5:n=4"}));
    REQUIRE(array(json, "further").size() == 1);
    CHECK(text(json, "type") == "f32");
    CHECK(text(array(json, "further").front(), "type") == "f64");
  }
}

TEST_CASE("a type that fails takes no other type's result with it" *
          doctest::test_suite("compile")) {
  if (!compiles())
    return;
  // 32,768 values of x fit in a block's shared memory as float but not as double.
  for (const char *types : {"f32,f64", "f64,f32"}) {
    const Strings call = {"run",
                          "--target",
                          "host",
                          "--quiet",
                          "--type",
                          types,
                          "--format",
                          "qcsr",
                          "--set",
                          "qcsr.d=32768",
                          "--set",
                          "qcsr.stage=1",
                          "random:rows=40000,cols=40000,k=3"};
    const Outcome texts = tool(call);
    CHECK(texts.status == 1);
    CHECK(messages(texts, "error") == 1);
    CHECK(texts.out.find(", f32\n") != std::string::npos);
    CHECK(texts.out.find("verified") != std::string::npos);
    Strings json = call;
    json.insert(json.end(), {"--json"});
    const llvm::json::Value all = document(tool(json));
    CHECK(array(all, "further").empty());
    CHECK(text(all, "type") == "f32");
  }
}

TEST_CASE("a type that is named twice gives one result") {
  const auto json =
      document(tool({"analyze", "--json", "--type", "f32,f32", "--type", "f32", "stencil5:n=4"}));
  REQUIRE(json.getAsObject());
  CHECK(text(json, "type") == "f32");
}

TEST_CASE("values that float cannot hold are counted in a warning") {
  const std::string file = scratch("large.mtx");
  writeFile(file, "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1e300\n2 2 1\n");
  const Outcome narrow = tool({"run", "--target", "host", "--type", "f32", file});
  CHECK(narrow.status == 0);
  CHECK(messages(narrow, "warning") == 1);
  CHECK(narrow.err.find("1 values") != std::string::npos);
  CHECK(messages(tool({"run", "--target", "host", file}), "warning") == 0);
}

TEST_CASE("a file that is bad or absent exits with 1 and one error") {
  checkRefusal(tool({"analyze", scratch("absent.mtx")}), 1);
  checkRefusal(tool({"analyze", scratch("")}), 1); // a directory
  writeFile(scratch("empty.mtx"), "");
  checkRefusal(tool({"analyze", scratch("empty.mtx")}), 1);
  writeFile(scratch("broken.mtx.gz"), "\x1f\x8b\x08 and then no gzip");
  checkRefusal(tool({"analyze", scratch("broken.mtx.gz")}), 1);
}

TEST_CASE("a file error has file:line:column, the line and a caret, and nothing is written") {
  const std::string bad = scratch("bad.mtx"), kept = scratch("kept");
  writeFile(bad, kBad);
  const std::vector<Strings> calls = {{"run", bad, "-o", kept},
                                      {"run", bad, "--json", "-o", kept},
                                      {"analyze", bad, "--signature", kept},
                                      {"analyze", bad, "-o", kept},
                                      {"emit", bad, "-o", kept},
                                      {"emit", bad, "--ptx", "-o", kept},
                                      {"emit", bad, "--cubin", kept}};
  for (const Strings &call : calls)
    for (bool existed : {false, true}) {
      std::filesystem::remove(kept);
      if (existed)
        writeFile(kept, "as before");
      const Outcome outcome = tool(call);
      checkRefusal(outcome, 1);
      const Strings lines = linesOf(outcome.err);
      REQUIRE(lines.size() == 3);
      CHECK(lines[0].rfind(bad + ":4:1: error: ", 0) == 0);
      CHECK(lines[0].find("row") != std::string::npos);
      CHECK(lines[0].find('4', (bad + ":4:1:").size()) != std::string::npos);
      CHECK(lines[1] == "4 2 2.0");
      CHECK(lines[2] == "^");
      CHECK(std::filesystem::exists(kept) == existed);
      CHECK(readFile(kept) == (existed ? "as before" : ""));
    }
}

TEST_CASE("a GPU that is not there exits with 3") {
  if (gpuIsPresent()) {
    MESSAGE("skipped: there is a GPU");
    return;
  }
  checkRefusal(tool({"bench", "stencil5:n=8"}), 3);
  checkRefusal(tool({"bench", "--json", "stencil5:n=8"}), 3);
  checkRefusal(tool({"run", "--target", "gpu", "stencil5:n=8"}), 3);
  checkRefusal(tool({"profile", "stencil5:n=8"}), 3);
  const std::string kept = scratch("profile.json");
  checkRefusal(tool({"profile", "--json", "-o", kept, "stencil5:n=8"}), 3);
  CHECK_FALSE(std::filesystem::exists(kept));
  for (const char *verb : {"run", "analyze"}) {
    const Outcome outcome = tool({verb, "--json", "--format", "cusparse-csr", "stencil5:n=8"});
    CHECK(outcome.status == 3);
    CHECK(messages(outcome, "error") == 1);
    CHECK(outcome.err.find("cusparse-csr runs only on a GPU") != std::string::npos);
  }
  const Outcome twice = tool({"run", "--type", "f32,f64", "stencil5:n=8"});
  CHECK(twice.status == 0);
  CHECK(messages(twice, "note") == 1);
  CHECK(twice.err.find("libcuda.so.1: libcuda.so.1") == std::string::npos);
}

TEST_CASE("a library call has no source to emit") {
  const Outcome outcome = tool({"emit", "--format", "ell,cusparse-sell", "stencil5:n=8"});
  checkRefusal(outcome, 2);
  CHECK(outcome.err.find("cusparse-sell is a call of cuSPARSE") != std::string::npos);
}

TEST_CASE("a format that does not fit exits with 1 and says why in one sentence") {
  const std::string spike = "spike:n=2000,spikes=1";
  for (const char *verb : {"run", "emit"}) {
    const Outcome outcome = tool({verb, "--format", "ell", spike});
    checkRefusal(outcome, 1);
    CHECK(outcome.err.find("ell") != std::string::npos);
    CHECK(outcome.err.find("2000") != std::string::npos);
    CHECK(linesOf(outcome.err).size() == 1);
  }
  const Outcome narrow = tool({"emit", "--format", "ell", "--set", "ell.width=2", "stencil5:n=4"});
  checkRefusal(narrow, 1);
  CHECK(narrow.err.find("ell.width") != std::string::npos);
}

TEST_CASE("a parameter that must be an integer takes no other number") {
  for (const char *value : {"2.5", "nan", "inf", "1e300", "99999999999999999999"}) {
    CAPTURE(std::string(value));
    const Outcome outcome = tool({"emit", "stencil5:n=4", "--format", "csr-vector", "--set",
                                  std::string("csr.lanes=") + value});
    checkRefusal(outcome, 2);
    CHECK(outcome.err.find("csr.lanes") != std::string::npos);
  }
}

TEST_CASE("an integer that a double does not hold is called too large, not broken") {
  const Outcome outcome = tool({"emit", "stencil5:n=4", "--set", "ell.width=9.2e18"});
  checkRefusal(outcome, 2);
  CHECK(outcome.err.find("beyond 2^53") != std::string::npos);
  CHECK(outcome.err.find("not an integer") == std::string::npos);
}

TEST_CASE("on a full disk every result is refused with one error") {
  const std::string m = "stencil5:n=4";
  const std::vector<Strings> calls = {{"analyze", m},
                                      {"analyze", m, "--json"},
                                      {"emit", m},
                                      {"run", m, "--quiet", "--target", "host"},
                                      {"run", m, "--quiet", "--target", "host", "--json"},
                                      {"generate", "--list"},
                                      {"--help"},
                                      {"run", "--help"},
                                      {"--version"}};
  for (const Strings &call : calls) {
    CAPTURE(call.back());
    checkRefusal(tool(call, {{}, "/dev/full"}), 1);
  }
  const std::string full = "/dev/full";
  checkRefusal(tool({"analyze", m, "-o", full}), 1);
  checkRefusal(tool({"analyze", m, "--json", "-o", full}), 1);
  checkRefusal(tool({"emit", m, "-o", full}), 1);
  checkRefusal(tool({"run", m, "--quiet", "--target", "host", "-o", full}), 1);
  checkRefusal(tool({"run", m, "--quiet", "--target", "host", "--json", "-o", full}), 1);
  checkRefusal(tool({"generate", m, "-o", full}), 1);
  checkRefusal(tool({"generate", "stencil5:n=300", "-o", full}), 1);
  // A former bug: the right product of a program whose notes nobody can get was a failure.
  const std::string run = std::string(SPECMV_TOOL) + " run " + m + " --target host >/dev/null 2>";
  for (const char *errors : {"/dev/full", "&-"})
    CHECK(runProgram("/bin/sh", {"-c", run + errors}).status == 0);
  // The report may already have been printed when the other file fails.
  const Outcome signature = tool({"analyze", m, "--signature", full});
  CHECK(signature.status == 1);
  CHECK(messages(signature, "error") == 1);
}

TEST_CASE("a file that cannot be made is refused with one error") {
  const std::string nowhere = scratch("no such directory/file");
  checkRefusal(tool({"generate", "stencil5:n=4", "-o", nowhere}), 1);
  checkRefusal(tool({"analyze", "stencil5:n=4", "-o", nowhere}), 1);
  checkRefusal(tool({"emit", "stencil5:n=4", "-o", nowhere}), 1);
}

TEST_CASE("--quiet leaves out notes and keeps results") {
  const Strings call = {"run", "stencil5:n=4", "--target", "host"};
  const Outcome loud = tool(call);
  CHECK(loud.status == 0);
  CHECK(messages(loud, "note") == 1); // in one line it says that the host multiplies
  CHECK(loud.err.find("host") != std::string::npos);
  const Outcome quiet = tool({"run", "stencil5:n=4", "--target", "host", "--quiet"});
  CHECK(quiet.status == 0);
  CHECK(messages(quiet, "note") == 0);
  CHECK(quiet.out.find("verified") != std::string::npos);
}

TEST_CASE("the sample solves its equation and prints the times of set-up and of an iteration") {
  const Outcome outcome = runProgram(SPECMV_SAMPLE, {"100"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.err == "");
  const std::string number = R"([0-9]+\.?[0-9]*(e[-+][0-9]+)?)";
  CHECK(std::regex_search(outcome.out, std::regex("set-up +" + number + " ms")));
  CHECK(std::regex_search(outcome.out, std::regex(number + " ms an iteration")));
  // The solution of -laplace u = 1 in the middle of the unit square is 0.0736713.
  std::smatch middle;
  REQUIRE(std::regex_search(outcome.out, middle, std::regex("middle (" + number + ")")));
  CHECK(std::stod(middle[1]) == doctest::Approx(0.0736713).epsilon(0.005));
}

TEST_CASE("the host serves where there is no GPU, and not where there is one that fails") {
  const auto runWith = [](int cuInit) {
    return tool({"run", "stencil5:n=4"},
                {.environment = {"LD_LIBRARY_PATH=" SPECMV_FAKE_CUDA,
                                 "SPECMV_FAKE_CUINIT=" + std::to_string(cuInit)},
                 .out = ""});
  };
  for (int none : {34 /* a stub */, 100 /* no device */}) {
    CAPTURE(none);
    CHECK(runWith(none).status == 0);
  }
  for (int lacking : {46 /* another process has it */, 802 /* not ready */, 803 /* mismatch */}) {
    CAPTURE(lacking);
    const Outcome outcome = runWith(lacking);
    checkRefusal(outcome, 3);
    CHECK(outcome.err.find("cuInit failed") != std::string::npos);
  }
  const Outcome uncounted = runWith(0);
  CHECK(uncounted.status != 0);
  CHECK(uncounted.err.find("cuDeviceGetCount failed") != std::string::npos);
}
