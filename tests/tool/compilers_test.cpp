// Tests that what emit prints compiles as it is, by nvcc at its default standard and by clang.
#include "tests/text.h"
#include "tests/tool/tool_testing.h"

using namespace tooltest;
using specmv::testing::contains;

namespace {

// Emits the format's kernel to a file, and returns its name; "" if the format does not apply.
std::string emittedFile(const std::string &format, const std::string &type) {
  const std::string file = scratch(format + "-" + type + ".cu");
  const Outcome outcome =
      tool({"emit", "elasticity:n=4", "--quiet", "--format", format, "--type", type, "-o", file});
  return outcome.status == 0 ? file : "";
}

bool isThere(const std::string &program) { return std::filesystem::exists(program); }

} // namespace

TEST_CASE("clang compiles what emit prints for every format and type") {
  const std::string clang = "/usr/bin/clang++-14";
  const std::string cuda =
      (std::filesystem::path(__FILE__).parent_path().parent_path() / "lint_cuda.h").string();
  if (!isThere(clang)) {
    MESSAGE("skipped: there is no " << clang);
    return;
  }
  int compiled = 0;
  for (const std::string &format : formatsWithKernels())
    for (const char *type : {"f64", "f32"}) {
      const std::string file = emittedFile(format, type);
      if (file.empty())
        continue;
      CAPTURE(file);
      const Outcome outcome =
          runProgram(clang, {"-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_86",
                             "-nocudainc", "-nocudalib", "-std=c++17", "-Wno-unknown-cuda-version",
                             "-include", cuda, "-fsyntax-only", file});
      CHECK_MESSAGE(outcome.status == 0, outcome.err);
      CHECK_MESSAGE(outcome.err == "", outcome.err);
      ++compiled;
    }
  CHECK(compiled > 20);
}

TEST_CASE("nvcc compiles what emit prints at its default standard") {
  if (nvcc().empty()) {
    MESSAGE("skipped: there is no nvcc");
    return;
  }
  for (const char *format : {"ell", "dia", "qcsr", "csr5", "hyb"}) {
    const std::string file = emittedFile(format, "f64");
    REQUIRE(!file.empty());
    const Outcome outcome =
        runProgram(nvcc(), {"-arch=sm_90", "-cubin", "-o", scratch("nvcc.cubin"), file});
    CHECK_MESSAGE(outcome.status == 0, outcome.err);
    CHECK_FALSE(contains(outcome.err + outcome.out, "warning"));
  }
}
