// Tests products with several vectors by the tool: run, analyze and emit, and formats that do not
// support them.
#include "tests/tool/tool_testing.h"

using namespace tooltest;

TEST_CASE("several vectors are multiplied, checked and told") {
  const Strings call = {"run", "--target", "host", "--quiet", "stencil5:n=5", "--vectors"};
  const auto with = [&](const char *vectors, const char *more) {
    Strings out = call;
    out.insert(out.end(), {vectors, more});
    return tool(out);
  };
  const Outcome texts = with("5", "--host-products=2");
  INFO(texts.err);
  REQUIRE(texts.status == 0);
  CHECK(texts.out.find(", f64, 5 vectors\n") != std::string::npos);
  CHECK(texts.out.find(" of 5 vectors, ") != std::string::npos);
  CHECK(texts.out.find("verified   all vectors: exact") != std::string::npos);
  // More than the 16 of a pass, and counts whose factors repeat.
  for (const char *vectors : {"1", "2", "16", "130"})
    CHECK(number(document(with(vectors, "--json")), "vectors") == std::stod(vectors));
  checkRefusal(with("0", "--json"), 2);
  checkRefusal(with("1025", "--json"), 2);
  checkRefusal(with("1,2", "--json"), 2);
  const Outcome format = with("8", "--format=jad");
  checkRefusal(format, 1);
  CHECK(format.err.find("jad has no kernel for several vectors") != std::string::npos);
}

TEST_CASE("several vectors: what analyze predicts, what emit writes, what cannot have them") {
  const Strings several = {"stencil5:n=9", "--format=dia", "--vectors=8"};
  const llvm::json::Value one = analyzed({"stencil5:n=9", "--format=dia"}), all = analyzed(several);
  CHECK(number(one, "vectors") == 1);
  CHECK(number(all, "vectors") == 8);
  CHECK(find(all, "why.cusparse")->getAsNull());
  const Outcome source = emitted("stencil5:n=9", {"--format=dia", "--vectors=8"});
  for (const char *kernel :
       {"specmv_kernel: grid", "specmv_rows_of_x: grid", "specmv_several: grid", "specmv_several("})
    CHECK_MESSAGE(source.out.find(kernel) != std::string::npos, kernel);
  CHECK(emitted("stencil5:n=9", {"--format=dia"}).out.find("specmv_several") == std::string::npos);
  checkRefusal(
      tool({"emit", "stencil5:n=9", "--vectors=2", "--standalone", "-o", scratch("several.cu")}),
      2);
  checkRefusal(tool({"bench", "--setup", "stencil5:n=9", "--vectors=2"}), 2);
  checkRefusal(tool({"evaluate", "stencil5:n=9", "--vectors=2"}), 2);
}

TEST_CASE("bench with several vectors measures our formats and cuSPARSE's SpMM, not its SpMV") {
  const Outcome outcome = tool(
      {"bench", "--json", "--quiet", "--format", "csr-scalar,jad", "stencil5:n=8", "--vectors=6"},
      {{std::string("LD_LIBRARY_PATH=") + SPECMV_FAKE_CUDA, "SPECMV_FAKE_GPU=1",
        std::string("SPECMV_CUDA_HOME=") + SPECMV_FAKE_TOOLKIT},
       ""});
  CHECK(outcome.status == 1); // the kernels of the fake driver do nothing
  CHECK_MESSAGE(outcome.err.find("gives a wrong product") != std::string::npos, outcome.err);
  Strings formats;
  for (const llvm::json::Object &line : objectsOf(outcome.out)) {
    if (const llvm::json::Object *request = line.getObject("request"))
      CHECK(request->getInteger("vectors") == 6);
    if (!line.getString("format"))
      continue;
    formats.push_back(line.getString("format")->str());
    CHECK(line.getInteger("vectors") == 6);
    // 8 bytes for each value of x and y of six vectors, 12 for an entry, 4 for an offset.
    CHECK(line.getInteger("csrBytes") == 288 * 12 + 65 * 4 + 6 * 128 * 8);
  }
  // The requested format, the choice, and cuSPARSE's, which in these tests finds no GPU and says
  // so.
  CHECK(formats == Strings{"csr-scalar", "jad", "csr-scalar", "cusparse-spmm"});
  CHECK(outcome.out.find("cusparse-spmm: cusparseCreate failed") != std::string::npos);
}

TEST_CASE("models of one vector are not judged by what several took") {
  const std::string file =
      fileOf("several.jsonl", R"({"arch":"sm_90","machine":"NVIDIA H200","request":{"vectors":8}})"
                              "\n"
                              R"({"matrix":"a","nnz":5,"summary":true,"type":"f64"})"
                              "\n");
  const Outcome outcome = tool({"evaluate", "--measured", file, "--quiet"});
  checkRefusal(outcome, 1);
  CHECK_MESSAGE(outcome.err.find("has 8 vectors at once") != std::string::npos, outcome.err);
}
