// Tests every format through the tool: its source is emitted and compiles, and its product is
// verified. The formats are those of the table, so that a new one is tested too.
#include "generator/format.h"
#include "tests/tool/tool_testing.h"

#include "llvm/ADT/STLExtras.h"

#include <regex>

using namespace tooltest;
using llvm::json::Value;

namespace {

// A matrix that every format accepts: banded, with dense blocks of 3 x 3.
const char *const kForAll = "elasticity:n=4";

// Formats that accept any matrix, so that none may be refused.
const Strings kTakeAny = {"csr-scalar", "csr-vector", "csr-merge", "csr5", "coo",
                          "ell",        "sell",       "hyb",       "jad",  "qcsr"};

} // namespace

TEST_CASE("emit writes one source again and again, to standard output or a file") {
  for (const std::string &format : formatsWithKernels())
    for (const char *type : {"f32", "f64"}) {
      CAPTURE(format);
      const Strings options = withFormat({"--type", type}, format);
      const std::string source = emitted(kForAll, options).out;
      CHECK(source.find("__global__") != std::string::npos);
      CHECK(source.find("specmv_kernel") != std::string::npos);
      if (type == std::string("f32")) {
        CHECK(source == emitted(kForAll, options).out);
        continue;
      }
      const std::string file = scratch("source.cu");
      CHECK(emitted(kForAll, withFormat({"--type", type, "-o", file}, format)).out == "");
      CHECK(withoutHeader(readFile(file)) == withoutHeader(source));
    }
  CHECK(withoutHeader(emitted("stencil5:n=20", {"--type", "f32"}).out) !=
        withoutHeader(emitted("stencil5:n=20").out));
}

TEST_CASE("a fixed parameter is a number in the source") {
  const auto differ = [](const std::string &format, const std::string &name, int one, int other) {
    const auto source = [&](int value) {
      return withoutHeader(emitted("stencil9:n=20", {"--format", format, "--set",
                                                     name + "=" + std::to_string(value)})
                               .out);
    };
    CAPTURE(name);
    CHECK(std::regex_search(source(one), std::regex("\\b" + std::to_string(one) + "\\b")));
    CHECK(source(one) != source(other));
  };
  differ("csr-vector", "csr.lanes", 2, 16);
  differ("ell", "ell.width", 11, 13);
  differ("sell", "sell.slice", 2, 32);
  differ("sell", "sell.sigma", 1, 1024);
  differ("hyb", "hyb.k", 3, 7);
  differ("dia", "dia.rows", 2, 4);
  differ("bcsr", "bcsr.r", 3, 8);
  differ("hcghyb", "hyb.k", 3, 7);
  differ("qcsr", "qcsr.d", 1024, 8192);
  differ("ctile", "ctile.columns", 1024, 8192);
  differ("ctile", "ctile.threads", 64, 512);
  differ("sell-bytes", "bytes.sigma", 1, 64);
}

TEST_SUITE_BEGIN("compile");

TEST_CASE("what emit writes compiles, for every format and type") {
  if (!compiles())
    return;
  const std::string cubin = scratch("kernel.cubin");
  for (const std::string &format : formatsWithKernels())
    for (const char *type : {"f32", "f64"}) {
      CAPTURE(format);
      std::filesystem::remove(cubin);
      emitted(kForAll, withFormat({"--type", type, "--cubin", cubin}, format));
      CHECK(readFile(cubin).substr(0, 4) == "\x7f"
                                            "ELF");
    }
  emitted("stencil5:n=20", {"--cubin", cubin});
  CHECK(emitted("stencil5:n=20", {"--cubin", "-"}).out == readFile(cubin));
}

TEST_CASE("each format is compiled, multiplied and verified, in either type") {
  if (!compiles())
    return;
  for (const std::string matrix :
       {kForAll, "stencil9:n=12", "random:rows=70,cols=40,k=6,spread=1", "empty:n=3"})
    for (const std::string &format : formatsWithKernels())
      for (const char *type : {"f32", "f64"}) {
        CAPTURE(matrix);
        CAPTURE(format);
        const Outcome outcome = tool(withFormat({"run", "--json", "--quiet", "--target", "host",
                                                 "--type", type, "--host-products", "3", matrix},
                                                format));
        if (outcome.status == 1 && matrix != kForAll && !llvm::is_contained(kTakeAny, format)) {
          checkRefusal(outcome, 1);
          CHECK(outcome.err.find(format) != std::string::npos); // it says why it does not fit
          continue;
        }
        CHECK(messages(outcome, "error") == 0);
        REQUIRE(outcome.status == 0);
        const Value json = document(outcome);
        CHECK(flag(json, "verified"));
        CHECK(text(json, "chosen.format") == format);
      }
}

TEST_SUITE_END();
