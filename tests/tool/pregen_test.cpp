// Tests packs made by the tool: they are identical when made again, and when made from a signature
// instead of its matrix; which runs use them, what is refused with only packs, and that many
// processes compile a kernel once.
#include "tests/text.h"
#include "tests/tool/packs_testing.h"

#include <cmath>
#include <sys/stat.h>

using namespace tooltest;
using specmv::testing::contains;

TEST_CASE("a pack is the same to the byte when made again, in whatever order") {
  const std::string one =
      packed("1.pack", {"stencil5:n=9", "random:k=3,rows=50", "--type=f32,f64"});
  const std::string two =
      packed("2.pack", {"random:k=3,rows=50", "stencil5:n=9", "stencil5:n=9", "--type=f64,f32"});
  CHECK(readFile(one) == readFile(two));
  CHECK(contains(readFile(one), "\ncompiler NVRTC 13.0\narchitectures sm_90\nkernel "));
  // Nothing is left in the user's cache, and it is not read.
  CHECK_FALSE(std::filesystem::exists(scratch("pregen-cache")));
}

// Where values are not looked at; otherwise its pack has kernels for codings that may fit.
TEST_CASE("a signature of a small matrix gives the pack that its matrix gives") {
  for (const char *matrix : {"stencil5:n=9", "powerlaw:rows=300,avg=5", "blocks:rows=90"}) {
    const std::string signature = scratch("signature");
    REQUIRE(tool({"analyze", matrix, "--signature", signature}).status == 0);
    CHECK(readFile(packed("matrix.pack", {matrix})) ==
          readFile(packed("signature.pack", {signature})));
  }
  const std::string text = readFile(scratch("signature"));
  const std::string changed = fileOf("changed", text.substr(0, text.size() - 2) + "\n");
  checkRefusal(tool({"pregen", "-o", scratch("never.pack"), changed, "--quiet"}), 1);
  CHECK_FALSE(std::filesystem::exists(scratch("never.pack")));
}

TEST_CASE("what is in a pack runs without a compiler, and writes no kernel into the cache") {
  const std::string pack = packed("runs.pack", {"stencil5:n=9", "--beta-is-zero"});
  for (const Strings &more : {Strings{}, {"--only-packs"}, {"--beta-is-zero", "--only-packs"}}) {
    Strings call = {"stencil5:n=9"};
    call.insert(call.end(), more.begin(), more.end());
    const Outcome ran = runOnHost(call, withPack(pack, "runs-cache"));
    INFO(ran.err);
    REQUIRE(ran.status == 0);
    CHECK(flag(document(ran), "compile.hit"));
    CHECK_FALSE(flag(document(ran), "nvrtcLoaded"));
    CHECK(ran.err == "");
  }
  CHECK_FALSE(std::filesystem::exists(scratch("runs-cache/objects")));
  // A folder is a read-only cache, as it was before packs existed, even with --only-packs.
  const Setting fill = quickly("folder");
  CHECK(runOnHost({"stencil5:n=9"}, fill).status == 0);
  CHECK(runOnHost({"stencil5:n=9", "--only-packs"}, withPack(scratch("folder"), "none")).status ==
        0);
}

// A former bug: the kernel was reported as coming from the cache.
TEST_CASE("run tells the pack that a kernel is from") {
  const std::string pack = packed("told.pack", {"stencil5:n=9"});
  const Outcome ran = tool({"run", "--target", "host", "stencil5:n=9", "--only-packs"},
                           withPack(pack, "told-cache"));
  CHECK_MESSAGE(contains(ran.out, "from the pack " + pack + ": nothing compiled"), ran.out);
}

TEST_CASE("only packs: what they do not have is an error that says what to do") {
  const std::string pack = packed("only.pack", {"stencil5:n=9", "--format=dia"}),
                    cache = "only-cache";
  REQUIRE(runOnHost({"random:k=3,rows=50"}, quickly(cache)).status == 0); // in the user's own cache
  const Outcome ran = runOnHost({"random:k=3,rows=50", "--only-packs"}, withPack(pack, cache));
  checkRefusal(ran, 3);
  CHECK(contains(ran.err, "no pack has the kernel of '"));
  CHECK(contains(ran.err, "pregen -o PACK --arch sm_90 --type f64"));
  const Outcome zero =
      runOnHost({"stencil5:n=9", "--only-packs", "--beta-is-zero"}, withPack(pack, cache));
  checkRefusal(zero, 3);
  CHECK(contains(zero.err, "--beta-is-zero"));
  checkRefusal(runOnHost({"stencil5:n=9", "--only-packs"}, quickly(cache)), 3);
}

TEST_CASE("where the best plan is not in a pack, a worse one that is there is used and told") {
  const std::string pack = packed("worse.pack", {"stencil5:n=99", "--format=csr-scalar"});
  const Outcome ran = runOnHost({"stencil5:n=99", "--only-packs"}, withPack(pack, "worse-cache"));
  INFO(ran.err);
  REQUIRE(ran.status == 0);
  CHECK(text(document(ran), "chosenBy") == "fallback");
  CHECK(messages(ran, "warning") == 1);
  CHECK(contains(ran.err, "no pack has the kernel of 'dia "));
}

TEST_CASE("a damaged pack costs a warning and a compilation, never the result") {
  const std::string pack = packed("damaged.pack", {"stencil5:n=9", "--format", "ell"});
  std::string bytes = readFile(pack);
  const std::string begin = "\177ELF"; // of every object
  for (size_t at = bytes.find(begin); at != std::string::npos; at = bytes.find(begin, at + 1))
    bytes[at + 3] = 'X';
  writeFile(pack, bytes);
  const Setting setting = quickly("damaged", {"SPECMV_CACHE_PATH=" + pack});
  const Outcome ran = runOnHost({"stencil5:n=9", "--format", "ell"}, setting);
  CHECK(ran.status == 0);
  CHECK_FALSE(flag(document(ran), "compile.hit"));
  CHECK(messages(ran, "warning") == 1);
  CHECK(contains(ran.err, "damaged"));
  writeFile(pack, bytes.substr(0, 100));
  const Outcome cut = runOnHost({"stencil5:n=9"}, setting);
  CHECK(cut.status == 0);
  CHECK(messages(cut, "warning") == 1);
  CHECK(contains(cut.err, "SPECMV_CACHE_PATH: " + pack + " is not a pack"));
}

TEST_CASE("the standard pack is looked into where nothing is named") {
  const std::string pack = packed("standard.pack", {"stencil5:n=9"});
  const Outcome ran =
      runOnHost({"stencil5:n=9", "--only-packs"},
                quickly("standard", {"SPECMV_STANDARD_PACK=" + pack, "SPECMV_FAKE_NVRTC=compile"}));
  INFO(ran.err);
  CHECK(ran.status == 0);
}

TEST_CASE("the standard pack has kernels of matrices that nobody has seen") {
  const std::string pack = packed("table.pack", {"--standard"});
  for (const char *matrix : {"random:k=8,rows=500", "fem2d:rows=700", "circuit:rows=900"}) {
    CAPTURE(matrix);
    const Outcome ran = runOnHost({matrix, "--only-packs"}, withPack(pack, "table"));
    INFO(ran.err);
    REQUIRE(ran.status == 0);
    CHECK(text(document(ran), "chosenBy") == "predicted");
    CHECK(ran.err == "");
  }
  // --format and --set also select among the table's plans.
  const Outcome some = tool({"pregen", "-o", scratch("some.pack"), "--standard",
                             "--format=csr-vector", "--set", "csr.lanes=4", "--json", "--quiet"},
                            quickly("table"));
  // One multiplies, one narrows indices, five identify, profile, sort rows, check and compare
  // diagonals, one looks at values, one counts columns, two order rows, one packs, and one stores
  // values.
  CHECK(number(document(some), "kernels") == 13);
  checkRefusal(tool({"pregen", "-o", scratch("no.pack"), "--quiet"}, quickly("table")), 2);
  checkRefusal(tool({"pregen", "--coverage", pack, "--standard", "--quiet"}, quickly("table")), 2);
}

TEST_CASE("pregen tells what it made, and what a pack covers") {
  const std::string pack = scratch("told.pack");
  const Outcome made =
      tool({"pregen", "-o", pack, "stencil5:n=300", "--json", "--quiet"}, quickly("told"));
  REQUIRE(made.status == 0);
  const auto json = document(made);
  CHECK(text(json, "pack") == pack);
  CHECK(number(json, "bytes") == static_cast<double>(std::filesystem::file_size(pack)));
  // Three plans and one with coded values multiply, one narrows indices, five identify, profile,
  // sort rows, check and compare diagonals, one looks at values, one counts columns, two order
  // rows, two pack, and one stores values.
  CHECK(number(json, "kernels") == 17);
  const Outcome told = tool({"pregen", "--coverage", pack, "stencil5:n=300", "stencil5:n=301",
                             "--type=f32,f64", "--json", "--quiet"},
                            quickly("told"));
  INFO(told.err);
  REQUIRE(told.status == 0);
  const auto coverage = document(told);
  CHECK(number(coverage, "of") == 4);
  CHECK(number(coverage, "best") == 1); // n = 300 in f64
  CHECK(number(coverage, "covered") == 1);
  CHECK(number(coverage, "any") == 2); // and n = 301 in f64 by ELL, since it has other diagonals
  CHECK(array(coverage, "choices").size() == 4);
  // The first in order has a margin, so that another one may be predicted a little faster.
  double product = 1;
  for (const auto &choice : array(coverage, "choices"))
    if (const auto *packed = find(choice, "packed")->getAsObject()) {
      const double ratio = *packed->getNumber("ratio");
      CHECK((find(choice, "best")->getAsBoolean().value() ? ratio == 1 : ratio > 0.99));
      product *= ratio;
    }
  CHECK(number(coverage, "ratio") == doctest::Approx(std::sqrt(product)).epsilon(1e-9));
  const Outcome toOutput = tool({"pregen", "-o", "-", "stencil5:n=300"}, quickly("told"));
  CHECK(toOutput.out == readFile(pack));
  checkRefusal(tool({"pregen", "-o", "-", "stencil5:n=300", "--json"}, quickly("told")), 2);
  checkRefusal(
      tool({"pregen", "-o", pack, "stencil5:n=300", "--arch", "sm_1", "--quiet"}, quickly("told")),
      2);
  checkRefusal(tool({"pregen", "--coverage", scratch("absent"), "stencil5:n=300"}), 1);
  checkRefusal(tool({"pregen", "--coverage", fileOf("nonsense", "x"), "stencil5:n=300"}), 1);
}

TEST_CASE(
    "a pack is written so that it is trusted; one that is not is an error where it is named") {
  const mode_t before = umask(0);
  const std::string pack = packed("trusted.pack", {"stencil5:n=9"});
  umask(before);
  const Strings covers = {"pregen", "--coverage", pack, "stencil5:n=9", "--quiet"};
  CHECK(tool(covers).status == 0);
  std::filesystem::permissions(pack, std::filesystem::perms(0664));
  const Outcome refused = tool(covers);
  checkRefusal(refused, 1);
  CHECK(contains(refused.err, "the pack " + pack + " may be written by its group"));
  CHECK(contains(refused.err, "'chmod go-w " + pack + "'"));
  const Outcome ran =
      runOnHost({"stencil5:n=9"}, quickly("trusted", {"SPECMV_CACHE_PATH=" + pack}));
  CHECK(ran.status == 0);
  CHECK_FALSE(flag(document(ran), "compile.hit"));
  CHECK(messages(ran, "warning") == 1);
}

TEST_SUITE_BEGIN("compile");

TEST_CASE("a pack of a real compiler is the same when made again, for each architecture") {
  if (!compiles())
    return;
  Strings packs;
  for (const char *name : {"real1.pack", "real2.pack"}) {
    packs.push_back(scratch(name));
    REQUIRE(tool({"pregen", "-o", packs.back(), "stencil5:n=9", "--arch", "sm_80,sm_90"}).status ==
            0);
  }
  CHECK(readFile(packs[0]) == readFile(packs[1]));
  for (const char *arch : {"sm_80", "sm_90"})
    CHECK(runOnHost({"stencil5:n=9", "--only-packs", "--arch", arch}, withPack(packs[0], "real"))
              .status == 0);
  checkRefusal(
      runOnHost({"stencil5:n=9", "--only-packs", "--arch", "sm_75"}, withPack(packs[0], "real")),
      3);
}

TEST_CASE("of eight processes that miss one kernel, one compiles it") {
  if (!compiles())
    return;
  const std::string dump = scratch("herd-dump"), cache = scratch("herd-cache");
  const std::string one = "SPECMV_CACHE_DIR='" + cache + "' SPECMV_DUMP='" + dump +
                          "'/$i '" SPECMV_TOOL "' run stencil5:n=9 --target host >/dev/null 2>&1";
  const std::string all =
      "for i in 1 2 3 4 5 6 7 8; do (" + one + " || touch '" + dump + "'.failed) & done; wait";
  REQUIRE(runProgram("/bin/sh", {"-c", all}).status == 0);
  CHECK_FALSE(std::filesystem::exists(dump + ".failed"));
  int compiled = 0;
  for (const std::string &file : filesBelow(dump))
    compiled += file.ends_with(".cubin");
  CHECK(compiled == 1);
  CHECK(filesBelow(cache + "/objects").size() == 1);
}

TEST_SUITE_END();

TEST_CASE("a pack that is made again takes over the kernels that it has") {
  const std::string pack = packed("again.pack", {"stencil5:n=9"});
  const std::string bytes = readFile(pack);
  const auto again = [&](const std::string &matrix) {
    return tool({"pregen", matrix, "-o", pack, "--json", "--quiet"}, quickly("again"));
  };
  const Outcome same = again("stencil5:n=9");
  REQUIRE(same.status == 0);
  CHECK(number(document(same), "takenOver") == number(document(same), "kernels"));
  CHECK(readFile(pack) == bytes);
  const Outcome other = again("random:k=3,rows=50");
  CHECK(number(document(other), "takenOver") > 0); // those of every matrix
  CHECK(number(document(other), "takenOver") < number(document(other), "kernels"));
  writeFile(pack, bytes.substr(0, 1000)); // what is no pack is made anew
  CHECK(number(document(again("stencil5:n=9")), "takenOver") == 0);
  CHECK(readFile(pack) == bytes);
}
