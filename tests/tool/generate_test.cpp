// Tests `generate`, and that a spec, the file made from it and its compressed copy are the same
// matrix to every verb.
#include "tests/tool/tool_testing.h"

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

using namespace tooltest;

namespace {

std::string generated(const Strings &spec, const std::string &name) {
  Strings call = {"generate"};
  call.insert(call.end(), spec.begin(), spec.end());
  call.insert(call.end(), {"-o", scratch(name)});
  const Outcome outcome = tool(call);
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out == "");
  CHECK(messages(outcome, "error") + messages(outcome, "warning") == 0);
  return readFile(scratch(name));
}

std::string signatureIdOf(const std::string &matrix) {
  return text(document(tool({"analyze", "--json", matrix})), "signature");
}

} // namespace

TEST_CASE("NAME key=value and NAME:key=value are the same call") {
  const std::string one = generated({"random:n=30,k=4,seed=7"}, "one.mtx");
  const std::string other = generated({"random", "n=30", "k=4", "seed=7"}, "other.mtx");
  CHECK(one == other);
  CHECK(one.rfind("%%MatrixMarket matrix coordinate ", 0) == 0);
  CHECK(one != generated({"random:n=30,k=4,seed=8"}, "third.mtx"));
}

TEST_CASE("the file says what it was made from, and that a twin is not the matrix itself") {
  CHECK(linesOf(generated({"stencil5", "n=4"}, "said.mtx"))[1] == "% stencil5:n=4");
  const Strings lines = linesOf(generated({"twin:name=add32,seed=2"}, "twin.mtx"));
  CHECK(lines[1] == "% twin:add32,seed=2");
  CHECK(lines[2].rfind("% a twin of add32: ", 0) == 0);
  CHECK(lines[2].find("not the original matrix") != std::string::npos);
  CHECK(signatureIdOf(scratch("twin.mtx")) == signatureIdOf("twin:add32,seed=2"));
  const Outcome twin = tool({"generate", "twin:add32", "-o", scratch("twin.mtx")});
  CHECK(twin.err.find("not the original matrix") != std::string::npos);
  const Outcome json = tool({"generate", "--json", "twin:add32", "-o", scratch("twin.mtx")});
  CHECK(text(document(json), "twin").find("a twin of add32") == 0);
  // A family may generate the original matrix.
  const Strings family = linesOf(generated({"twin:conf5_4-8x8-05"}, "family.mtx"));
  CHECK(family[2].find("qcd:l=8") != std::string::npos);
  CHECK(family[2].find("not the original matrix") == std::string::npos);
}

TEST_CASE("-o - is standard output, of one thing at a time") {
  const Outcome outcome = tool({"generate", "stencil5:n=4", "-o", "-"});
  CHECK(outcome.status == 0);
  CHECK(outcome.out == generated({"stencil5:n=4"}, "same.mtx"));
  CHECK_FALSE(std::filesystem::exists("-"));
  for (const Strings &call : {Strings{"generate", "stencil5:n=4", "-o", "-", "--json"},
                              {"analyze", "stencil5:n=4", "--signature", "-"},
                              {"analyze", "stencil5:n=4", "--signature", "-", "-o", "-"},
                              {"emit", "stencil5:n=4", "--cubin", "-", "--json"},
                              {"emit", "stencil5:n=4", "--cubin", "-", "--ptx", "-o", "-"}})
    checkRefusal(tool(call), 2);
  const Outcome both =
      tool({"analyze", "stencil5:n=4", "--signature", "-", "-o", scratch("analysis")});
  CHECK(tool({"analyze", "stencil5:n=4", "--signature", scratch("signature")}).status == 0);
  CHECK(both.out == readFile(scratch("signature")));
  CHECK_FALSE(std::filesystem::exists("-"));
}

TEST_CASE("a generate that is killed leaves the old file as it was, and no other") {
  const std::string folder = scratch("killed");
  std::filesystem::create_directories(folder);
  const int unnamed = open(folder.c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (unnamed < 0) {
    MESSAGE("skipped: this file system has no files without a name");
    return;
  }
  close(unnamed);
  writeFile(folder + "/a.mtx", "old");
  // Half a gigabyte, which takes seconds.
  const std::string call = SPECMV_TOOL " generate stencil27:n=100 -o " + folder;
  for (const char *name : {"/a.mtx", "/b.mtx"}) {
    const std::string killed = call + name + " & sleep 0.3; kill -9 $!; wait $!";
    CHECK(runProgram("/bin/sh", {"-c", killed}).status == 128 + SIGKILL);
  }
  CHECK(readFile(folder + "/a.mtx") == "old");
  CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 1);
}

TEST_CASE("a generate beyond the limit on the size of files is an error and leaves the old file") {
  const std::string file = scratch("limited.mtx");
  writeFile(file, "old");
  const Outcome outcome = runProgram(
      "/bin/sh", {"-c", "ulimit -f 8; exec " SPECMV_TOOL " generate stencil5:n=200 -o " + file});
  checkRefusal(outcome, 1);
  CHECK(outcome.err.find("File too large") != std::string::npos);
  CHECK(readFile(file) == "old");
}

TEST_CASE("who may read a file that is replaced may read the new one, and nobody else") {
  const std::string file = scratch("private.mtx");
  writeFile(file, "old");
  using std::filesystem::perms;
  const perms own = perms::owner_read | perms::owner_write;
  std::filesystem::permissions(file, own);
  CHECK(tool({"generate", "stencil5:n=3", "-o", file}).status == 0);
  CHECK(readFile(file).size() > 3);
  CHECK(std::filesystem::status(file).permissions() == own);
}

TEST_CASE("generate --list names every family") {
  checkRefusal(tool({"generate", "--list", "stencil5:n=9"}), 2);
  const Outcome list = tool({"generate", "--list"});
  CHECK(list.status == 0);
  CHECK(list.err == "");
  for (const char *family : {"stencil5", "stencil7", "stencil9", "stencil27", "band", "random",
                             "blocks", "powerlaw", "dense", "chessboard"})
    CHECK_MESSAGE(("\n" + list.out).find("\n" + std::string(family) + ":") != std::string::npos,
                  std::string(family));
}

TEST_CASE("the generated file, its spec and its compressed copy have one signature") {
  for (const char *spec : {"stencil9:n=9", "random:rows=20,cols=31,k=3", "chessboard:m=3,n=4,k=2",
                           "empty:rows=3,cols=5", "powerlaw:n=60,seed=3"}) {
    CAPTURE(std::string(spec));
    generated({spec}, "file.mtx");
    std::filesystem::remove(scratch("file.mtx.gz"));
    REQUIRE(runProgram("/bin/gzip", {"-k", scratch("file.mtx")}).status == 0);
    const std::string expected = signatureIdOf(spec);
    CHECK(signatureIdOf(scratch("file.mtx")) == expected);
    CHECK(signatureIdOf(scratch("file.mtx.gz")) == expected);
  }
}

TEST_CASE("the real ch7-8-b5 has 141,120 rows of six") {
  const auto json = document(tool({"analyze", "--json", "chessboard:m=7,n=8,k=5"}));
  CHECK(number(json, "matrix.rows") == 141120);
  CHECK(number(json, "matrix.nnz") == 846720);
  CHECK(number(json, "profile.mean") == 6);
  CHECK(number(json, "profile.std") == 0);
  CHECK(number(json, "profile.skewness") == 0);
}

TEST_CASE("a file that exists comes before a spec, whatever its name") {
  const std::string path = scratch("stencil5:n=9,odd name.mtx");
  generated({"empty:rows=2,cols=3"}, "stencil5:n=9,odd name.mtx");
  const auto json = document(tool({"analyze", "--json", path}));
  CHECK(number(json, "matrix.rows") == 2);
  CHECK(number(json, "matrix.cols") == 3);
}
