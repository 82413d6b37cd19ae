// Packs for several vectors, for other options of plans, and for transposes.
#include "tests/text.h"
#include "tests/tool/packs_testing.h"

using namespace tooltest;
using specmv::testing::contains;

TEST_CASE("a pack of kernels for several vectors serves plans of so many, and no others") {
  const std::string pack = packed("several.pack", {"stencil5:n=9", "--vectors=1,3,8,5"});
  for (const char *vectors : {"1", "4", "3", "8", "7"}) { // 3 and 4, 7 and 8 share their kernels
    const Outcome ran = runOnHost({"stencil5:n=9", "--only-packs", "--vectors", vectors},
                                  withPack(pack, "several-cache"));
    INFO(ran.err);
    REQUIRE(ran.status == 0);
    CHECK(flag(document(ran), "compile.hit"));
    CHECK(flag(document(ran), "verified"));
    CHECK(number(document(ran), "vectors") == std::stod(vectors));
  }
  const Outcome none = runOnHost({"stencil5:n=9", "--only-packs", "--vectors", "16"},
                                 withPack(pack, "several-cache"));
  checkRefusal(none, 3);
  CHECK(contains(none.err, "--vectors 16 --plan"));
  // A pack for one vector has no such kernels.
  const std::string one = packed("one.pack", {"stencil5:n=9"});
  checkRefusal(
      runOnHost({"stencil5:n=9", "--only-packs", "--vectors", "8"}, withPack(one, "several-cache")),
      3);
  // The pack for both is larger, and names the problems that it serves.
  CHECK(readFile(pack).size() > readFile(one).size());
  CHECK(contains(readFile(pack), "f64 beta vectors=8 "));
}

// A former bug: all kernels were compiled first.
TEST_CASE("a pack that cannot be written is refused before its kernels are compiled") {
  const Outcome refused =
      tool({"pregen", "stencil5:n=9", "-o", scratch("no-folder/a.pack")},
           {{"SPECMV_CUDA_HOME=/nowhere", "SPECMV_CACHE_DIR=" + scratch("pregen-cache")}, ""});
  checkRefusal(refused, 1); // not 3, as without a compiler
  CHECK(contains(refused.err, scratch("no-folder/a.pack") + ": error: "));
}

TEST_CASE("a pack of kernels for other options of plans") {
  const std::string pack =
      packed("with.pack", {"stencil5:n=9", "--type=f32,f64", "--format=dia", "--with=scalarsOnGpu",
                           "--with=doubleVectors,resultApart"});
  const std::string bytes = readFile(pack);
  for (const char *problem : {"f32 beta dia", "f64 beta dia", "f32 beta scalars=gpu dia",
                              "f64 beta scalars=gpu dia", "f32 beta x=f64 dia"})
    CHECK_MESSAGE(contains(bytes, problem), problem);
  CHECK_FALSE(contains(bytes, "f64 beta x=f64"));
  const Outcome wrong =
      tool({"pregen", "stencil5:n=9", "-o", scratch("no.pack"), "--with", "doubleVector"});
  checkRefusal(wrong, 2);
  CHECK(contains(wrong.err, "(did you mean 'doubleVectors'?); use some of scalarsOnGpu, "
                            "doubleVectors, vectorsInPlanOrder"));
}

TEST_CASE("the standard pack with several vectors leaves out formats that have no such kernels") {
  const Outcome made = tool({"pregen", "--standard", "--vectors", "4", "--format", "ell,dia",
                             "--json", "-o", scratch("some.pack")},
                            quickly("pregen-cache"));
  INFO(made.err);
  REQUIRE(made.status == 0);
  CHECK(made.err == ""); // without a terminal, only the summary is written
  CHECK(find(document(made), "formats.dia"));
  CHECK_FALSE(find(document(made), "formats.ell"));
  CHECK(array(document(made), "vectors").front() == 4);
}

// A former bug: the kernels were those of plain values.
TEST_CASE("the standard pack is made for the coding of values that --set asks for") {
  const std::string pack = scratch("ones.pack");
  const Outcome made = tool({"pregen", "--standard", "--format=csr-vector", "--set=csr.lanes=4",
                             "--set=values=ones", "--json", "-o", pack},
                            quickly("pregen-cache"));
  INFO(made.err);
  REQUIRE(made.status == 0);
  CHECK(find(document(made), "formats.csr-vector"));
  const std::string bytes = readFile(pack);
  CHECK(contains(bytes, "csr.lanes=4 block=256 offset=32 column=32 values=ones"));
  CHECK(contains(bytes, "facts about values"));
}

// A former bug: kernels were made for plans that the matrix cannot have.
TEST_CASE("a matrix whose values cannot have the coding of --set is refused") {
  const std::string signature = scratch("coded.signature");
  const std::string matrix = fileOf("two.mtx", "%%MatrixMarket matrix coordinate real general\n"
                                               "2 2 2\n2 2 1\n1 1 2\n");
  const Outcome refused =
      tool({"pregen", matrix, "--set=values=ones", "-o", scratch("refused.pack")});
  CHECK(refused.status == tool({"emit", matrix, "--set=values=ones"}).status);
  CHECK_MESSAGE(contains(refused.err, "two: values=ones needs equal values, but the matrix has 2 "
                                      "different values; use values=plain"),
                refused.err);
  REQUIRE(tool({"analyze", matrix, "--signature", signature}).status == 0);
  const Outcome unseen = tool({"pregen", signature, "--format=csr-vector", "--set=csr.lanes=4",
                               "--set=values=ones", "-o", scratch("unseen.pack")},
                              quickly("pregen-cache"));
  CHECK_MESSAGE(unseen.status == 0, unseen.err); // a signature does not tell its matrix's values
}

// A former bug: the diagonals of the matrix were compared, not those of the order.
TEST_CASE("pregen compares the diagonals of the order that --set asks for") {
  // A path of 7 rows that are numbered at random, with a constant for each of its 3 diagonals.
  const std::vector<int> rowOf = {4, 1, 6, 3, 7, 2, 5};
  constexpr const char *kOfDiagonal[] = {" 1\n", " 4\n", " 2\n"};
  std::string text = "%%MatrixMarket matrix coordinate real general\n7 7 19\n";
  for (size_t i = 0; i < rowOf.size(); ++i)
    for (size_t j = i - (i > 0); j < std::min(i + 2, rowOf.size()); ++j)
      text += std::to_string(rowOf[i]) + " " + std::to_string(rowOf[j]) + kOfDiagonal[j + 1 - i];
  const std::string matrix = fileOf("path.mtx", text);
  const auto made = [&](const char *order) {
    return tool({"pregen", matrix, "--format=dia", "--set=values=diagonals", order, "-o",
                 scratch("path.pack")},
                quickly("pregen-cache"));
  };
  const Outcome ordered = made("--set=order=bfs");
  CHECK_MESSAGE(ordered.status == 0, ordered.err);
  CHECK(contains(readFile(scratch("path.pack")), " values=diagonals order=bfs"));
  CHECK(contains(made("--set=order=none").err, "values=diagonals needs"));
}

// A former bug: the values were compared in the order of the matrix, not of its transpose.
TEST_CASE("pregen compares the diagonals of the transpose in its own order") {
  const std::string matrix =
      fileOf("directed.mtx", "%%MatrixMarket matrix coordinate real general\n5 5 9\n"
                             "1 1 2\n1 2 3\n1 4 3\n2 2 2\n3 3 2\n4 2 5\n4 4 2\n5 3 5\n5 5 2\n");
  const auto made = [&](const Strings &more) {
    Strings call = {"pregen",          matrix, "--set=values=diagonals",
                    "--set=order=bfs", "-o",   scratch("directed.pack")};
    call.insert(call.end(), more.begin(), more.end());
    return tool(call, quickly("directed"));
  };
  CHECK(contains(made({}).err, "values=diagonals needs"));
  const Outcome transposed = made({"--transpose"});
  CHECK_MESSAGE(transposed.status == 0, transposed.err);
}

TEST_CASE("a pack of kernels for transposes") {
  // Two diagonals, whose offsets are constants of the code; the transpose has different ones.
  std::string text = "%%MatrixMarket matrix coordinate real general\n400 401 800\n";
  for (int i = 1; i <= 400; ++i)
    text += std::to_string(i) + " " + std::to_string(i) + " 1\n" + std::to_string(i) + " " +
            std::to_string(i + 1) + " 2\n";
  const std::string matrix = scratch("bidiagonal.mtx");
  writeFile(matrix, text);
  const std::string pack = packed("transposed.pack", {matrix, "--transpose", "--format=dia"});
  const auto best = [&](const Strings &more) {
    Strings call = {"pregen", "--coverage", pack, matrix, "--format=dia", "--json", "--quiet"};
    call.insert(call.end(), more.begin(), more.end());
    const Outcome told = tool(call, quickly("transposed"));
    INFO(told.err);
    CHECK(told.status == 0);
    return number(document(told), "best");
  };
  CHECK(best({"--transpose"}) == 1);
  CHECK(best({}) == 0);
  const std::string signature = scratch("signature");
  REQUIRE(tool({"analyze", matrix, "--signature", signature}).status == 0);
  const Outcome refused =
      tool({"pregen", "-o", scratch("no.pack"), "--transpose", signature}, quickly("transposed"));
  checkRefusal(refused, 2);
  CHECK(contains(refused.err, "which does not describe the transpose"));
}
